// SPDX-License-Identifier: Apache-2.0
// The script inside a flame graph's SVG: hover shows a frame, click zooms, Ctrl-F searches. No network, no storage.
"use strict";
(function () {
  const graphWidth = 1180, left = 10, characterWidth = 12 * 0.59;
  let frames = [], zoomed = null, expression = null;
  let details, matched, reset, searchButton;

  function start() {
    details = document.getElementById("details");
    matched = document.getElementById("matched");
    reset = document.getElementById("reset");
    searchButton = document.getElementById("search");
    for (const group of document.querySelectorAll("#frames > g")) {
      const rect = group.querySelector("rect"), title = group.querySelector("title").textContent;
      const frame = {
        group, rect, title, text: group.querySelector("text"),
        name: title.slice(0, title.lastIndexOf(" (")),
        x: +rect.getAttribute("x"), y: +rect.getAttribute("y"), width: +rect.getAttribute("width"),
      };
      group.setAttribute("tabindex", "0");
      frames.push(frame);
      group.addEventListener("mouseover", () => { details.textContent = title; });
      group.addEventListener("focus", () => { details.textContent = title; });
      group.addEventListener("mouseout", () => { details.textContent = ""; });
      group.addEventListener("click", () => zoom(frame));
      group.addEventListener("keydown", (event) => { if (event.key === "Enter") zoom(frame); });
    }
    button(reset, () => zoom(null));
    button(searchButton, askSearch);
    window.addEventListener("keydown", (event) => {
      if (event.key === "F3" || ((event.ctrlKey || event.metaKey) && event.key === "f") || event.key === "/") {
        event.preventDefault();
        askSearch();
      } else if (event.key === "Escape") {
        if (expression) search(null); else zoom(null);
      }
    });
  }

  function button(element, action) {
    element.addEventListener("click", action);
    element.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") action(); });
  }

  function withoutPackage(name) {
    return /[ :/(]/.test(name) ? name : name.split(".").slice(-2).join(".");
  }

  function label(frame, width) {
    const room = Math.floor((width - 6) / characterWidth);
    if (room < 3) return "";
    const name = frame.name.length <= room ? frame.name : withoutPackage(frame.name);
    return name.length <= room ? name : name.slice(0, room - 2) + "..";
  }

  function place(frame, x, width) {
    frame.rect.setAttribute("x", x);
    frame.rect.setAttribute("width", width);
    const text = label(frame, width);
    if (!frame.text) {
      if (!text) return;
      frame.text = document.createElementNS("http://www.w3.org/2000/svg", "text");
      frame.text.setAttribute("y", frame.y + 11.5);
      frame.group.appendChild(frame.text);
    }
    frame.text.setAttribute("x", x + 3);
    frame.text.textContent = text;
  }

  // null shows everything.
  function zoom(target) {
    zoomed = target;
    const tolerance = 0.05;
    for (const frame of frames) {
      frame.group.classList.remove("hidden", "above");
      if (!target) {
        place(frame, frame.x, frame.width);
        continue;
      }
      const caller = frame.y < target.y && frame.x <= target.x + tolerance &&
        frame.x + frame.width >= target.x + target.width - tolerance;
      const inside = frame.y >= target.y && frame.x >= target.x - tolerance &&
        frame.x + frame.width <= target.x + target.width + tolerance;
      if (caller) {
        frame.group.classList.add("above");
        place(frame, left, graphWidth);
      } else if (inside) {
        const scale = graphWidth / target.width;
        place(frame, left + (frame.x - target.x) * scale, frame.width * scale);
      } else {
        frame.group.classList.add("hidden");
      }
    }
    reset.classList.toggle("hidden", !target);
    showMatched();
  }

  function askSearch() {
    if (expression) {
      search(null);
      return;
    }
    const term = prompt("Search frames (regular expression)", "");
    if (term === null || term === "") return;
    try {
      search(new RegExp(term));
    } catch (error) {
      matched.textContent = "Not a regular expression: " + term;
    }
  }

  function search(regularExpression) {
    expression = regularExpression;
    searchButton.textContent = expression ? "Reset search" : "Search";
    for (const frame of frames) frame.group.classList.toggle("match", !!expression && expression.test(frame.name));
    showMatched();
  }

  // The share of the width that has a match, each part counted once however many matches lie above each other.
  function showMatched() {
    if (!expression) {
      matched.textContent = "";
      return;
    }
    const scope = zoomed || frames[0];
    const hits = frames.filter((frame) => frame.group.classList.contains("match") && !frame.group.classList.contains("hidden"))
      .map((frame) => [Math.max(frame.x, scope.x), Math.min(frame.x + frame.width, scope.x + scope.width)])
      .sort((a, b) => a[0] - b[0]);
    let covered = 0, end = -Infinity;
    for (const [from, to] of hits) {
      if (to <= end) continue;
      covered += to - Math.max(from, end);
      end = to;
    }
    matched.textContent = "Matched: " + (100 * covered / scope.width).toFixed(1) + " %";
  }

  if (document.readyState === "loading") window.addEventListener("DOMContentLoaded", start); else start();
})();
