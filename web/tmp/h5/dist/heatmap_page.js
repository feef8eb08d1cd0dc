(async () => {
	const byId = (id) => document.getElementById(id);
	const contextOf = (canvas) => canvas.getContext("2d");
	const packed = Uint8Array.from(atob(byId("sparkprof-heatmap").textContent.trim()), (c) => c.charCodeAt(0));
	const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
	const data = JSON.parse(await new Response(stream).text());
	const rows = 1e3 / data.bucketMs, rowHeight = 5, left = 48, below = 20, most = 8e3, frameHeight = 18, shownFrames = 30;
	const seconds = Math.ceil((data.lastBucket + 1) / rows);
	// A canvas has a largest width: where there are more seconds, several share a column.
	const each = Math.ceil(seconds / most), columns = Math.ceil(seconds / each);
	const map = byId("map"), flame = byId("flame"), events = byId("event"), details = byId("details");
	const dark = matchMedia("(prefers-color-scheme: dark)");
	let cell = 8, picked = null, base = null, drag = null;
	let zoom = 0, boxes = [], pointed = null;
	let total = new Float64Array(1), before = null;
	byId("title").textContent = document.title = data.name + ": heat map";
	data.events.forEach((event, index) => events.add(new Option(event.name, String(index))));
	events.value = String(data.defaultEvent);
	const event = () => data.samples[Number(events.value)];
	const unit = () => data.events[Number(events.value)].unit;
	const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name);
	function format(weight) {
		if (unit() === "ns") return weight >= 1e9 ? (weight / 1e9).toFixed(2) + " s" : (weight / 1e6).toFixed(1) + " ms";
		if (unit() === "bytes") return weight >= 1 << 20 ? (weight / (1 << 20)).toFixed(1) + " MiB" : (weight / 1024).toFixed(1) + " KiB";
		return weight.toLocaleString("en-US");
	}
	const time = (bucket) => (bucket * data.bucketMs / 1e3).toFixed(2) + " s";
	const between = (range) => `${time(range[0])} to ${time(range[1] + 1)}`;
	const percent = (part, whole) => (100 * part / (whole || 1)).toFixed(2) + "%";
	// the scale of the report's heat map
	function heat(share) {
		return dark.matches ? `hsl(${20 + 30 * share} ${60 + 35 * share}% ${20 + 50 * share}%)` : `hsl(${50 - 45 * share} 90% ${90 - 52 * share}%)`;
	}
	function drawScale() {
		const context = contextOf(byId("scale"));
		for (let x = 0; x < 96; x++) {
			context.fillStyle = heat(x / 95);
			context.fillRect(x, 0, 1, 10);
		}
	}
	const columnOf = (bucket) => Math.floor(Math.floor(bucket / rows) / each);
	function drawMap() {
		const weights = new Float64Array(columns * rows), samples = event();
		let at = 0, largest = 0;
		samples.time.forEach((delta, i) => {
			at += delta;
			weights[columnOf(at) * rows + at % rows] += samples.weight[i];
		});
		for (const weight of weights) largest = Math.max(largest, weight);
		cell = Math.max(2, Math.min(24, Math.floor((byId("scroll").clientWidth - left) / columns)));
		const width = left + columns * cell + 1, height = rows * rowHeight, scale = width > most ? 1 : devicePixelRatio || 1;
		map.width = width * scale;
		map.height = (height + below) * scale;
		map.style.width = width + "px";
		map.style.height = height + below + "px";
		const context = contextOf(map);
		context.scale(scale, scale);
		const gap = cell > 4 ? 1 : 0;
		for (let i = 0; i < weights.length; i++) {
			const weight = weights[i];
			if (weight <= 0) continue;
			context.fillStyle = heat(Math.sqrt(weight / largest));
			context.fillRect(left + Math.floor(i / rows) * cell, i % rows * rowHeight, cell - gap, rowHeight - 1);
		}
		mark(context, base, "26 115 232");
		mark(context, picked, "30 142 62");
		context.fillStyle = style("--faint");
		context.font = "11px system-ui, sans-serif";
		context.textAlign = "right";
		for (const part of [
			0,
			.25,
			.5,
			.75
		]) context.fillText(part * 1e3 + " ms", left - 6, part * height + 9);
		context.textAlign = "left";
		const steps = [
			1,
			2,
			5,
			10,
			15,
			30,
			60,
			120,
			300,
			600,
			1800,
			3600,
			7200,
			14400,
			43200,
			86400
		];
		const step = steps.find((candidate) => candidate * cell / each >= 48) || 86400;
		for (let second = 0; second < seconds; second += step) context.fillText(second + " s", left + second / each * cell, height + 14);
	}
	// A range goes down its columns; its frame follows it.
	function mark(context, range, color) {
		if (!range) return;
		for (let column = columnOf(range[0]); column <= columnOf(range[1]); column++) {
			const whole = each > 1, first = column === columnOf(range[0]), last = column === columnOf(range[1]);
			const from = first && !whole ? range[0] % rows : 0, to = last && !whole ? range[1] % rows + 1 : rows;
			const x = left + column * cell, y = from * rowHeight, height = (to - from) * rowHeight;
			context.fillStyle = `rgb(${color} / 30%)`;
			context.fillRect(x, y, cell, height);
			context.fillStyle = `rgb(${color})`;
			context.fillRect(x, y, cell, 2);
			context.fillRect(x, y + height - 2, cell, 2);
			if (first) context.fillRect(x, y, 2, height);
			if (last) context.fillRect(x + cell - 2, y, 2, height);
		}
	}
	// Own weight of each stack within a range; null is everything.
	function weigh(range) {
		const own = new Float64Array(data.stacks.parent.length), samples = event();
		let at = 0;
		samples.time.forEach((delta, i) => {
			at += delta;
			if (!range || at >= range[0] && at <= range[1]) own[samples.stack[i]] += samples.weight[i];
		});
		return own;
	}
	function addUp(own) {
		const sums = own.slice();
		for (let id = sums.length - 1; id > 0; id--) sums[data.stacks.parent[id]] += sums[id];
		return sums;
	}
	const children = [];
	data.stacks.parent.forEach((parent, id) => {
		if (id > 0) (children[parent] ||= []).push(id);
	});
	const name = (id) => id === 0 ? "all" : data.labels[data.stacks.frame[id]];
	for (const list of children) if (list) list.sort((a, b) => name(a) < name(b) ? -1 : 1);
	// Shares of the ranges are compared, so that their lengths do not matter.
	const shareOf = (sums, id) => sums[id] / (sums[0] || 1);
	const change = (id) => shareOf(total, id) - (before ? shareOf(before, id) : 0);
	function colorOf(id) {
		if (before) {
			const size = Math.min(1, Math.abs(change(id)) * 5);
			return size < .005 ? "#e8e8e8" : change(id) > 0 ? `hsl(24 90% ${92 - 36 * size}%)` : `hsl(212 80% ${92 - 32 * size}%)`;
		}
		let hash = 7;
		for (const c of name(id)) hash = hash * 31 + c.codePointAt(0) >>> 0;
		return `hsl(${18 + hash % 36} 85% ${64 + hash % 13}%)`;
	}
	function drawFlame() {
		const scale = devicePixelRatio || 1, width = flame.clientWidth;
		boxes = [];
		let deepest = 0;
		const pending = [[
			zoom,
			0,
			0,
			total[zoom] > 0 ? width / total[zoom] : 0
		]];
		while (pending.length) {
			const [id, depth, x, perWeight] = pending.pop();
			const wide = total[id] * perWeight;
			if (wide < .5) continue;
			boxes.push({
				id,
				depth,
				x,
				width: wide
			});
			deepest = Math.max(deepest, depth);
			let at = x;
			for (const child of children[id] || []) {
				pending.push([
					child,
					depth + 1,
					at,
					perWeight
				]);
				at += total[child] * perWeight;
			}
		}
		flame.width = width * scale;
		flame.height = (deepest + 1) * frameHeight * scale;
		flame.style.height = (deepest + 1) * frameHeight + "px";
		const context = contextOf(flame);
		context.scale(scale, scale);
		context.font = "12px system-ui, sans-serif";
		context.textBaseline = "middle";
		for (const box of boxes) {
			context.fillStyle = colorOf(box.id);
			context.fillRect(box.x, box.depth * frameHeight, Math.max(box.width - .5, .5), frameHeight - 1);
			const room = Math.floor((box.width - 6) / 7), label = name(box.id);
			if (box.id === pointed) {
				context.strokeStyle = style("--text");
				context.strokeRect(box.x + .5, box.depth * frameHeight + .5, Math.max(box.width - 1.5, 1), frameHeight - 2);
			}
			if (room < 3) continue;
			context.fillStyle = "#000";
			context.fillText(label.length <= room ? label : label.slice(0, room - 1) + "…", box.x + 3, box.depth * frameHeight + 9);
		}
	}
	function point(id) {
		if (id === pointed) return;
		pointed = id;
		let text = id === null ? "\xA0" : `${name(id)}: ${format(total[id])}, ${percent(total[id], total[0])}`;
		if (id !== null && before) text += `, compared with ${percent(before[id], before[0])}`;
		details.textContent = text;
		drawFlame();
	}
	// Each function once, however often it is in a stack.
	function fillTable() {
		const sums = new Map();
		const add = (own, all, of) => {
			const path = [], above = new Set(), pending = [0];
			const visit = (id) => {
				const label = name(id), outermost = !above.has(label);
				const entry = sums.get(label) ?? {
					own: 0,
					total: 0,
					before: 0
				};
				sums.set(label, entry);
				if (own) entry.own += own[id];
				if (outermost) entry[of] += all[id];
				return outermost ? label : null;
			};
			while (pending.length) {
				const id = pending.pop();
				if (id < 0) {
					const label = path.pop();
					if (label !== null) above.delete(label);
					continue;
				}
				if (all[id] <= 0) continue;
				const label = id === 0 ? null : visit(id);
				path.push(label);
				if (label !== null) above.add(label);
				pending.push(-1);
				for (const child of children[id] || []) pending.push(child);
			}
		};
		const own = weigh(picked);
		add(own, total, "total");
		if (before) add(null, before, "before");
		const share = (entry) => entry.total / (total[0] || 1), shareBefore = (entry) => entry.before / (before?.[0] || 1);
		const rank = before ? (entry) => Math.abs(share(entry) - shareBefore(entry)) : (entry) => entry.own;
		const best = [...sums].sort((a, b) => rank(b[1]) - rank(a[1])).slice(0, shownFrames);
		const row = (tag, cells) => {
			const line = document.createElement("tr");
			for (const text of cells) line.append(Object.assign(document.createElement(tag), {
				textContent: text,
				...tag === "th" && { scope: "col" }
			}));
			return line;
		};
		const signed = (part) => (part > 0 ? "+" : "") + (100 * part).toFixed(2) + "%";
		byId("head").replaceChildren(row("th", [
			"Frame",
			"Self",
			"Total",
			"Share",
			...before ? ["Compared", "Change"] : []
		]));
		byId("top").replaceChildren(...best.map(([label, entry]) => row("td", [
			label,
			format(entry.own),
			format(entry.total),
			percent(entry.total, total[0]),
			...before ? [percent(entry.before, before[0]), signed(share(entry) - shareBefore(entry))] : []
		])));
	}
	function draw() {
		total = addUp(weigh(picked));
		before = base ? addUp(weigh(base)) : null;
		pointed = null;
		details.textContent = "\xA0";
		byId("range").textContent = `${picked ? between(picked) : "everything"}: ${format(total[0])}` + (base && before ? `, compared with ${between(base)}: ${format(before[0])}` : "");
		byId("flame-title").textContent = before ? "Difference: orange has a larger share than in the baseline range, blue a smaller share" : "Flame graph";
		byId("compare").disabled = !picked;
		drawMap();
		drawFlame();
		fillTable();
	}
	function bucketAt(mouse) {
		const column = Math.max(0, Math.min(columns - 1, Math.floor((mouse.offsetX - left) / cell)));
		const row = Math.max(0, Math.min(rows - 1, Math.floor(mouse.offsetY / rowHeight)));
		return Math.min(data.lastBucket, column * each * rows + row);
	}
	const ordered = (a, b) => [Math.min(a, b), Math.max(a, b)];
	function dragTo(drag) {
		const range = ordered(drag.from, drag.to);
		if (each > 1) range[1] = Math.min(data.lastBucket, range[1] + (each - 1) * rows);
		if (drag.compared) base = range;
		else picked = range;
	}
	map.addEventListener("mousedown", (down) => {
		drag = {
			from: bucketAt(down),
			to: bucketAt(down),
			compared: down.shiftKey
		};
	});
	map.addEventListener("mousemove", (move) => {
		if (!drag) return;
		drag.to = bucketAt(move);
		dragTo(drag);
		drawMap();
	});
	addEventListener("mouseup", () => {
		if (!drag) return;
		dragTo(drag);
		drag = null;
		zoom = 0;
		draw();
	});
	function everything() {
		picked = base = null;
		zoom = 0;
		draw();
	}
	function compare() {
		base = picked;
		draw();
	}
	map.addEventListener("keydown", (key) => {
		const step = new Map([
			["ArrowLeft", -rows * each],
			["ArrowRight", rows * each],
			["ArrowUp", -1],
			["ArrowDown", 1]
		]).get(key.key);
		const limit = (bucket) => Math.max(0, Math.min(data.lastBucket, bucket));
		if (step) {
			if (!picked) picked = [0, limit(rows - 1)];
			else if (key.shiftKey) picked = ordered(picked[0], limit(picked[1] + step));
			else if (picked[0] + step >= 0 && picked[1] + step <= data.lastBucket) picked = [picked[0] + step, picked[1] + step];
		} else if (key.key === "b" || key.key === "B") {
			base = picked;
		} else if (key.key === "Escape") {
			picked = base = null;
		} else {
			return;
		}
		key.preventDefault();
		draw();
	});
	function at(mouse) {
		const row = Math.floor(mouse.offsetY / frameHeight);
		const box = boxes.find(({ depth, x, width }) => depth === row && mouse.offsetX >= x && mouse.offsetX < x + width);
		return box ? box.id : null;
	}
	function zoomTo(id) {
		zoom = id;
		drawFlame();
	}
	flame.addEventListener("mousemove", (move) => point(at(move)));
	flame.addEventListener("mouseleave", () => point(null));
	flame.addEventListener("click", (click) => {
		const id = at(click);
		if (id !== null) zoomTo(id);
	});
	flame.addEventListener("keydown", (key) => {
		const shown = (id) => boxes.some((box) => box.id === id);
		const here = pointed !== null && shown(pointed) ? pointed : zoom;
		const row = boxes.filter(({ depth }) => depth === boxes.find((box) => box.id === here).depth).sort((a, b) => a.x - b.x);
		const place = row.findIndex(({ id }) => id === here);
		const keys = {
			ArrowUp: () => {
				if (here !== zoom) point(data.stacks.parent[here]);
			},
			ArrowDown: () => {
				const callee = (children[here] || []).find(shown);
				if (callee !== undefined) point(callee);
				else point(here);
			},
			ArrowLeft: () => point(row[Math.max(0, place - 1)].id),
			ArrowRight: () => point(row[Math.min(row.length - 1, place + 1)].id),
			Enter: () => zoomTo(here),
			Backspace: () => zoomTo(zoom === 0 ? 0 : data.stacks.parent[zoom]),
			Escape: () => zoomTo(0)
		};
		const action = keys[key.key];
		if (!action) return;
		key.preventDefault();
		action();
	});
	byId("all").addEventListener("click", everything);
	byId("compare").addEventListener("click", compare);
	events.addEventListener("change", draw);
	const redraw = () => {
		drawScale();
		drawMap();
		drawFlame();
	};
	addEventListener("resize", redraw);
	dark.addEventListener("change", redraw);
	drawScale();
	draw();
	document.body.dataset.drawn = "";
})();
