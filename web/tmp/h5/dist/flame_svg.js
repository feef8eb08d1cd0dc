(() => {
	// Only while the script runs for the first time.
	const script = document.currentScript;
	const picture = script?.ownerSVGElement ?? document.documentElement;
	if (document.readyState === "loading") window.addEventListener("DOMContentLoaded", () => startFlameGraph(picture));
	else startFlameGraph(picture);
})();
function startFlameGraph(picture) {
	const nameType = picture.dataset.nameType, inverted = picture.dataset.inverted === "1";
	const characterWidth = Number(picture.dataset.characterWidth);
	const byId = (id) => document.getElementById(id);
	const details = byId("details"), matched = byId("matched"), reset = byId("unzoom");
	const searchButton = byId("search"), caseButton = byId("ignorecase"), note = details.textContent;
	const frames = [...document.querySelectorAll("#frames > g")].map(readFrame);
	const { x: left, width: graphWidth } = frames[0];
	let zoomed = null, expression = null, term = "", ignoreCase = false;
	function readFrame(group) {
		const rect = group.querySelector("rect"), title = group.querySelector("title").textContent;
		const size = (attribute) => Number(rect.getAttribute(attribute));
		return {
			group,
			rect,
			title,
			text: group.querySelector("text"),
			name: title.slice(0, title.lastIndexOf(" (")),
			x: size("x"),
			y: size("y"),
			width: size("width"),
			height: size("height")
		};
	}
	function start() {
		for (const frame of frames) {
			const { group, title } = frame;
			group.setAttribute("tabindex", "0");
			group.setAttribute("role", "button");
			group.setAttribute("aria-label", title);
			group.addEventListener("mouseover", () => {
				show(frame);
			});
			group.addEventListener("focus", () => {
				show(frame);
			});
			group.addEventListener("mouseout", () => {
				details.textContent = note;
			});
			group.addEventListener("click", () => {
				zoom(frame);
			});
			group.addEventListener("keydown", (event) => {
				if (event.key === "Enter") zoom(frame);
			});
		}
		button(reset, () => zoom(null));
		button(searchButton, askSearch);
		searchFor(picture.dataset.highlight);
		button(caseButton, () => {
			ignoreCase = !ignoreCase;
			caseButton.setAttribute("aria-pressed", String(ignoreCase));
			caseButton.classList.toggle("show", ignoreCase);
			if (expression) search(new RegExp(term, ignoreCase ? "i" : ""));
		});
		window.addEventListener("keydown", (event) => {
			if (event.key === "F3" || (event.ctrlKey || event.metaKey) && event.key === "f" || event.key === "/") {
				event.preventDefault();
				askSearch();
			} else if (event.key === "Escape") {
				if (expression) search(null);
				else zoom(null);
			}
		});
	}
	function show(frame) {
		details.textContent = nameType + " " + frame.title;
	}
	function button(element, action) {
		element.addEventListener("click", action);
		element.addEventListener("keydown", (event) => {
			if (event.key === "Enter" || event.key === " ") action();
		});
	}
	function label(frame, width) {
		const room = Math.floor(width / characterWidth);
		if (room < 3) return "";
		return frame.name.length <= room ? frame.name : frame.name.slice(0, room - 2) + "..";
	}
	function place(frame, x, width) {
		frame.rect.setAttribute("x", String(x));
		frame.rect.setAttribute("width", String(width));
		const text = label(frame, width);
		if (!frame.text) {
			if (!text) return;
			frame.text = document.createElementNS("http://www.w3.org/2000/svg", "text");
			frame.text.setAttribute("y", String(frame.y + frame.height / 2 + 3));
			frame.group.appendChild(frame.text);
		}
		frame.text.setAttribute("x", String(x + 3));
		frame.text.textContent = text;
	}
	// null shows everything.
	function zoom(target) {
		zoomed = target;
		const tolerance = .05;
		for (const frame of frames) {
			frame.group.classList.remove("hide", "above");
			if (!target) {
				place(frame, frame.x, frame.width);
				continue;
			}
			const above = inverted ? frame.y < target.y : frame.y > target.y;
			const caller = above && frame.x <= target.x + tolerance && frame.x + frame.width >= target.x + target.width - tolerance;
			const inside = !above && frame.x >= target.x - tolerance && frame.x + frame.width <= target.x + target.width + tolerance;
			if (caller) {
				frame.group.classList.add("above");
				place(frame, left, graphWidth);
			} else if (inside) {
				const scale = graphWidth / target.width;
				place(frame, left + (frame.x - target.x) * scale, frame.width * scale);
			} else {
				frame.group.classList.add("hide");
			}
		}
		reset.classList.toggle("hide", !target);
		showMatched();
	}
	function askSearch() {
		if (expression) {
			search(null);
			return;
		}
		searchFor(prompt("Search frames (regular expression)", ""));
	}
	function searchFor(text) {
		if (!text) return;
		term = text;
		try {
			search(new RegExp(term, ignoreCase ? "i" : ""));
		} catch {
			matched.textContent = "Invalid regular expression: " + term;
		}
	}
	function search(regularExpression) {
		expression = regularExpression;
		searchButton.textContent = expression ? "Reset Search" : "Search";
		for (const frame of frames) frame.group.classList.toggle("match", !!expression?.test(frame.name));
		showMatched();
	}
	// The share of the width that has a match, each part counted once however many matches lie above each other.
	function showMatched() {
		if (!expression) {
			matched.textContent = "";
			return;
		}
		const scope = zoomed ?? frames[0];
		const hits = frames.filter((frame) => frame.group.classList.contains("match") && !frame.group.classList.contains("hide")).map((frame) => [Math.max(frame.x, scope.x), Math.min(frame.x + frame.width, scope.x + scope.width)]).sort((a, b) => a[0] - b[0]);
		let covered = 0, end = -Infinity;
		for (const [from, to] of hits) {
			if (to <= end) continue;
			covered += to - Math.max(from, end);
			end = to;
		}
		matched.textContent = "Matched: " + (100 * covered / scope.width).toFixed(1) + "%";
	}
	start();
}
