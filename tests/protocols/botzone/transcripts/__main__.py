"""Write the transcripts again; review the differences before you commit them."""

from tests.protocols.botzone.transcripts import HERE_LIE, TRANSCRIPTS, lines

for name, transcript in TRANSCRIPTS.items():
    (HERE_LIE / name).write_text("\n".join(lines(transcript.make())) + "\n", "utf-8")
