// SPDX-License-Identifier: Apache-2.0
// The search of the site: sections that contain all words. Words in a heading or in the page's title count most, then words side by side;
// pages for those who work on sparkprof itself come last.
const input = document.getElementById('search');
const results = document.getElementById('results');
const mostResults = 20;

function rank(entry, words) {
  const heading = entry.heading.toLowerCase();
  const page = entry.page.toLowerCase();
  const text = entry.text.toLowerCase();
  let points = 0;
  for (const word of words) {
    const uses = text.split(word).length - 1;
    const place = heading.includes(word) ? 10 : page.includes(word) ? 5 : 0;
    if (uses + place === 0) return 0;
    points += place + Math.min(uses, 5) / 2;
  }
  if (words.length > 1) {
    const phrase = words.join(' ');
    points += heading.includes(phrase) ? 10 : text.includes(phrase) ? 5 : 0;
  }
  return entry.minor ? points / 5 : points;
}

/** A piece of the text around the first word, with the words marked. */
function excerpt(entry, words) {
  const lower = entry.text.toLowerCase();
  const places = words.map((word) => lower.indexOf(word)).filter((place) => place >= 0);
  const start = Math.max(0, Math.min(...places, lower.length) - 60);
  const at = places.length > 0 && start > 0 ? lower.indexOf(' ', start) + 1 : 0;
  const paragraph = document.createElement('p');
  if (at > 0) paragraph.append('… ');
  const escaped = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  for (const [number, part] of entry.text.slice(at, at + 220).split(new RegExp(`(${escaped.join('|')})`, 'i')).entries()) {
    if (number % 2 === 0) paragraph.append(part);
    else paragraph.append(Object.assign(document.createElement('mark'), { textContent: part }));
  }
  if (entry.text.length > at + 220) paragraph.append('…');
  return paragraph;
}

function line(entry, words) {
  const item = document.createElement('li');
  const link = document.createElement('a');
  link.href = entry.to;
  link.textContent = entry.heading === entry.page ? entry.page : `${entry.page} › ${entry.heading}`;
  item.append(link, excerpt(entry, words));
  return item;
}

function show() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  results.hidden = words.length === 0;
  if (results.hidden) return;
  const found = searchIndex
    .map((entry) => ({ entry, points: rank(entry, words) }))
    .filter(({ points }) => points > 0)
    .sort((a, b) => b.points - a.points)
    .slice(0, mostResults);
  const list = document.createElement('ol');
  list.append(...found.map(({ entry }) => line(entry, words)));
  results.replaceChildren(found.length > 0 ? list : 'Nothing found. The search finds sections that contain all words.');
}

input.addEventListener('input', show);
document.addEventListener('keydown', (event) => {
  if (event.key === '/' && document.activeElement !== input) {
    event.preventDefault();
    input.focus();
  } else if (event.key === 'Escape') {
    input.value = '';
    show();
  }
});
