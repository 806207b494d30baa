// Keeps the page current: asks for it again, and puts the new content in the place of the old one.
"use strict";

const PAUSE = 30_000;
const PARTS = ["content", "beat"];
let tag = null;

function isInUse(part) {
  const selection = document.getSelection();
  return (part !== document.activeElement && part.contains(document.activeElement)) || (selection && !selection.isCollapsed);
}

async function look() {
  if (document.hidden) return;
  const answer = await fetch(location.href, { headers: tag ? { "If-None-Match": tag } : {}, cache: "no-store" });
  if (answer.status !== 200) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  const parts = PARTS.map((id) => [document.getElementById(id), fresh.getElementById(id)]);
  // Nothing moves under the hands of somebody who reads with the keyboard or has marked a text.
  if (parts.some(([old, now]) => !old || !now || isInUse(old))) return;
  for (const details of document.querySelectorAll("details[open][id]")) {
    fresh.getElementById(details.id)?.setAttribute("open", "");
  }
  for (const [old, now] of parts) {
    if (old.innerHTML !== now.innerHTML) old.replaceChildren(...now.childNodes);
  }
  const time = fresh.querySelector("footer time");
  if (time) document.querySelector("footer time").replaceWith(time);
  tag = answer.headers.get("ETag");
}

setInterval(() => look().catch(() => {}), PAUSE);
document.addEventListener("visibilitychange", () => look().catch(() => {}));
