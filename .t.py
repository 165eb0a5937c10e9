import time
from abl_cards.ablation import *
import doctest, abl_cards.ablation.sequential as q
print(doctest.testmod(q))
import abl_cards.ablation.parts as P
from abl_cards.games import load
from abl_cards.agents import AgentName
for g in ("guandan",'tractor','doudizhu'):
    e=load(g).engine(); t=time.time(); print(g,[p.name for p in list_parts(e,"kb")],time.time()-t)
    t=time.time(); print([p.name for p in P._rule_files(AgentName.parse("kb"),e,e.preference_model(),True)],time.time()-t)
try:
    for p in list_parts(load("doudizhu").engine(),"abl"): print(p)
    for p in list_parts(load("guandan").engine(),"abl")[-8:]: print(p)
except Exception as x: print(x)
