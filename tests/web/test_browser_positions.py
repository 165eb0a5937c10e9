"""Properties of drawn positions in a browser: the page shows what the server sends, and phones show everything."""

from typing import Any

import pytest

from abl_cards.games.game import game_names
from tests.effort import long
from tests.web.test_browser import play_turn_by_hint

FOLLOW = """async ([token, table, count]) => {
  const socket = new WebSocket(location.origin.replace('http', 'ws') + '/api/tables/' + table);
  const waiting = [];
  let view = null, n = 0, decided = -1;
  socket.onmessage = (event) => {
    const message = JSON.parse(event.data);
    if (message.type === 'table') view = message;
    waiting.splice(0).forEach((resolve) => resolve(message));
  };
  const next = () => new Promise((resolve) => waiting.push(resolve));
  const send = (message) => socket.send(JSON.stringify(message));
  await new Promise((resolve) => (socket.onopen = resolve));
  send({token});
  while (!view) await next();
  const answer = async (message) => {
    send({...message, n: ++n});
    for (;;) { const reply = await next(); if (reply.n === n) return reply; }
  };
  const decide = async () => {
    const {asked, at, hand} = view;
    decided = at;
    if (asked.kind === 'choice') {
      const cards = asked.options.map((option) => option.card);
      const values = asked.options.map((option) => option.value);
      const fitting = asked.count == null ? values.slice(-1) : hand.filter((card) => cards.includes(card));
      send({do: 'choose', at, values: (fitting.length ? fitting : values).slice(0, asked.count ?? 1)});
      return;
    }
    const cards = [];
    let reply = {readings: [], more: asked.more};
    while (!reply.readings.length && reply.more.length) {
      cards.push(reply.more[(at + cards.length) % reply.more.length]);
      reply = await answer({do: 'pick', cards, at});
      if (reply.type !== 'picked') return;
    }
    send({do: 'play', at, value: reply.readings[0]?.value ?? 'pass'});
  };
  const frame = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  const all = (selector) => [...document.querySelectorAll(selector)];
  const sorted = (list) => [...list].sort().join(' ');
  const wrong = [];
  let compared = 0, tries = 0;
  const compare = () => {
    const {deck} = window.lastWelcome, shown = window.lastTable, felt = document.querySelector('.felt').dataset;
    const name = (seat) => (seat === shown.me ? 'you' : shown.seats[seat].name || `seat ${seat}`);
    const expect = (what, is, should) => String(is) === String(should) || wrong.push([shown.at, what, is, should]);
    expect('at', felt.at, shown.at);
    expect('phase', felt.phase, shown.phase);
    expect('turn', felt.turn ?? null, shown.turn);
    expect('hand', sorted(all('.hand .card').map((card) => card.dataset.card)), sorted(shown.hand));
    const last = {};
    for (const event of shown.ended?.trick ?? shown.trick) last[event.seat] = event;
    const lies = Object.values(last).filter((event) => event.cards.length);
    expect('felt', sorted(all('.trick .lies .row').map((row) => row.getAttribute('aria-label'))),
      sorted(lies.map((event) => `${name(event.seat)}: ${event.cards.map((card) => deck[card].name[0]).join(', ')}`)));
    expect('failed', all('.trick .failed').length, Object.values(last).filter((event) => event.failed).length);
    const count = ({cards, place}) =>
      place && !cards && shown.shown.places ? `finished ${place}` : cards === 1 ? '1 card' : `${cards} cards`;
    const others = shown.seats.map((info, seat) => [name(seat), count(info)]).filter((_, seat) => seat !== shown.me);
    const panels = all('.seat').map((panel) =>
      [panel.getAttribute('aria-label'), panel.querySelector('.count').textContent]);
    expect('counts', sorted(panels), sorted(others));
    const log = shown.log.map((event) => event.number);
    expect('log', all('.log li').length, log.length);
    const button = document.querySelector('.ended');
    expect('ended', Boolean(button), Boolean(shown.ended));
    if (shown.ended) expect('totals', all('.ended tbody tr').map((row) =>
      Number([...row.cells].at(-2).textContent)), shown.ended.total);
    compared++;
  };
  while (compared < count && !wrong.length && tries++ < 4 * count) {
    if (view.phase === 'over') send({do: 'again'});
    else if (view.phase === 'end') send({do: 'go'});
    else if (view.asked && decided !== view.at) await decide();
    const before = window.lastTable;
    for (let turn = 0; turn < 40 && window.lastTable === before; turn++) await frame();
    await frame();
    const settled = window.lastTable;
    if (settled !== before && window.lastTable === settled) compare();
  }
  socket.close();
  return [compared, wrong];
}"""
HOOK = """
  const Original = WebSocket;
  window.WebSocket = class extends Original {
    constructor(...values) {
      super(...values);
      if (window.hooked) return;
      window.hooked = true;
      this.addEventListener('message', (event) => {
        const message = JSON.parse(event.data);
        if (message.type === 'table') window.lastTable = message;
        if (message.type === 'welcome') window.lastWelcome = message;
      });
    }
  };
"""


@long
@pytest.mark.parametrize("name", game_names())
def test_page_shows_the_state_sent_by_the_server(open_browser: Any, name: str) -> None:
    """Compare hand, felt, counts, log and results with the last message, 300 times in random matches."""
    here = open_browser()
    here.page.add_init_script(HOOK)
    here.new_table(game=name, seed=2)
    *_, table, token = here.page.url.split("/")
    compared, wrong = here.page.evaluate(FOLLOW, [token, table, 300])
    assert not wrong
    assert compared >= 300


INSIDE = """() => {
  const box = (selector) => document.querySelector(selector)?.getBoundingClientRect();
  const isInside = (one) => one && one.width > 0 && one.left >= 0 && one.top >= 0
    && one.right <= innerWidth + 1 && one.bottom <= innerHeight + 1;
  const controls = [...document.querySelectorAll('.actions button')].map((button) => button.getBoundingClientRect());
  return {
    hand: isInside(box('.hand')) && [...document.querySelectorAll('.hand .card')].every((card) =>
      isInside(card.getBoundingClientRect())),
    actions: controls.length > 4 && controls.every(isInside),
    score: isInside(box('.hud')),
    places: JSON.stringify(controls.map(({x, y, width, height}) => [x, y, width, height])),
  };
}"""
SHIFTS = """() => {
  window.shifted = 0;
  window.moved = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      window.shifted += entry.value;
      for (const {node, previousRect: was, currentRect: is} of entry.sources)
        window.moved.push(`${entry.value.toFixed(4)} ${node?.className} from ${was.x},${was.y} to ${is.x},${is.y}`);
    }
  }).observe({type: 'layout-shift'});
}"""


@pytest.mark.parametrize(("width", "height"), [(860, 400), (400, 860)])
@pytest.mark.parametrize("game", ["guandan", pytest.param("tractor", marks=long), pytest.param("hearts", marks=long)])
def test_phone_shows_all_controls_without_layout_shifts(open_browser: Any, game: str, width: int, height: int) -> None:
    """Hand, actions and score are in view at every decision of a deal; buttons stay, and little else moves."""
    here = open_browser(width=width, height=height, locale="zh-CN")
    here.new_table(game=game, seed=11)
    here.wait_for_turn()
    here.page.evaluate(SHIFTS)
    places = set()
    for _ in range(90):
        state = here.wait_for_turn()
        if state["phase"] in ("end", "over"):
            break
        shown = here.page.evaluate(INSIDE)
        places.add(shown.pop("places"))
        assert all(shown.values()), (state, shown)
        play_turn_by_hint(here)
    assert len(places) == 1
    shifted, moved = here.page.evaluate("() => [window.shifted, window.moved]")
    assert shifted <= 0.05, "\n".join(moved)
    here.page.wait_for_selector(".ended")
    assert here.page.locator(".trick .lies").count() >= 1
