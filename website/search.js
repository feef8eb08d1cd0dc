// SPDX-License-Identifier: Apache-2.0
// The search of the site: sections that contain all words, those with a word in their heading or the page's title first.
const input = document.getElementById('search');
const results = document.getElementById('results');

function rank(entry, words) {
  const heading = entry.heading.toLowerCase();
  const page = entry.page.toLowerCase();
  const text = entry.text.toLowerCase();
  let points = 0;
  for (const word of words) {
    if (heading.includes(word)) points += 10;
    else if (page.includes(word)) points += 5;
    else if (text.includes(word)) points += 1;
    else return 0;
  }
  return points;
}

function line(entry, word) {
  const item = document.createElement('li');
  const link = document.createElement('a');
  link.href = entry.to;
  link.textContent = entry.heading === entry.page ? entry.page : `${entry.page} › ${entry.heading}`;
  const at = Math.max(0, entry.text.toLowerCase().indexOf(word) - 60);
  const excerpt = document.createElement('p');
  excerpt.textContent = (at > 0 ? '…' : '') + entry.text.slice(at, at + 180);
  item.append(link, excerpt);
  return item;
}

function show() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  results.hidden = words.length === 0;
  const found = searchIndex
    .map((entry) => ({ entry, points: words.length > 0 ? rank(entry, words) : 0 }))
    .filter(({ points }) => points > 0)
    .sort((a, b) => b.points - a.points)
    .slice(0, 20);
  const list = document.createElement('ol');
  list.append(...found.map(({ entry }) => line(entry, words[0])));
  results.replaceChildren(found.length > 0 ? list : 'Nothing found');
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
