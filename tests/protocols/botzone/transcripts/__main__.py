"""Write the transcripts anew; look at what has changed before you keep it."""

from tests.protocols.botzone.transcripts import HERE_LIE, TRANSCRIPTS, lines

for name, transcript in TRANSCRIPTS.items():
    (HERE_LIE / name).write_text("\n".join(lines(transcript.make())) + "\n", "utf-8")
