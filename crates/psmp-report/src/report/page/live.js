"use strict";
// A run that is going on: what comes of it is handed to the film and the view of the arm, and what the user moves is
// sent to where the page came from. Nothing is asked of any other place.

const Live = (() => {
  const element = (id) => document.getElementById(id);
  const counted = (n) => n.toLocaleString("en");
  const measured = (length) => length.toLocaleString("en", { maximumSignificantDigits: 5 });

  /** The number of the run, how it stands, and when it was told so. */
  let run = 0;
  let standing = null;
  let heard = 0;
  let isConnected = false;

  /** How the run stands, in words. */
  function say() {
    if (!standing) return;
    const { over, doing, knows, seconds, checks, best, bound, onRoadmap, thinking } = standing;
    // While nothing is heard time goes on.
    const time = over ? seconds : seconds + (performance.now() - heard) / 1000;
    const words = [
      `${time.toFixed(1)} s`,
      `${counted(checks)} checks`,
      best === null ? "no path yet" : `best ${measured(best)}`,
      ...(bound === null ? [] : [`${onRoadmap ? "on the roadmap " : ""}at least ${measured(bound)}`]),
      `${Math.round(100 * thinking)}% thinking`,
    ];
    const end = over ? `; ${over}` : "";
    const known = knows ? `. It knew ${counted(knows)} edges beforehand` : "";
    element("standing").textContent = `Run ${run}, ${over ? "over" : doing}: ${words.join(", ")}${end}${known}`;
  }
  setInterval(() => isConnected && standing && !standing.over && say(), 100);

  /** Says what is wrong, until something else is done. */
  function complain(words) {
    element("said").textContent = words;
  }

  function hear(news) {
    if (news.run) {
      const isSame = news.run === run;
      run = news.run;
      Player.begin(news.films, isSame);
      if (Motions) Motions.begin(news.motions);
      if (!isSame) document.dispatchEvent(new Event("begun"));
    }
    if (news.frames) Player.append(news.frames, news.better);
    if (news.motion && Motions) Motions.append(news.motion);
    if (news.standing) {
      standing = news.standing;
      heard = performance.now();
      say();
    }
    if (news.bye) {
      stream.close();
      isConnected = false;
      element("standing").textContent += ". psmp has ended: this page stays, and nothing more comes";
    }
  }

  const stream = new EventSource("events");
  stream.onmessage = (event) => hear(JSON.parse(event.data));
  stream.onopen = () => {
    isConnected = true;
    complain("");
  };
  stream.onerror = () => {
    isConnected = false;
    complain("The connection to psmp is gone: it was stopped, or the machine slept. It is tried again.");
  };

  /** Sends something; returns the answer, or null where it is refused, which is said. */
  async function send(where, what) {
    try {
      const answer = await fetch(where, {
        method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(what),
      });
      const said = await answer.json();
      complain(said.words ?? "");
      return said.words === undefined ? said : null;
    } catch {
      complain("psmp does not answer: it was stopped.");
      return null;
    }
  }

  return { send };
})();
