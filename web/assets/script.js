// What pages do beyond forms and links: each works without it.
"use strict";
const all = (query, from = document) => [...from.querySelectorAll(query)];

// Copy buttons.
for (const button of all(".copies")) {
	button.hidden = !navigator.clipboard;
	button.addEventListener("click", async () => {
		await navigator.clipboard.writeText(button.previousElementSibling.textContent);
		button.textContent = "Copied";
	});
}

// Something new was taken in: asked by the page that is looked at alone, as a browser holds few connections.
let news = null;
const listen = () => {
	const seen = document.visibilityState === "visible";
	if (seen && !news) {
		news = new EventSource("/live");
		news.addEventListener("changed", () => { document.getElementById("news").hidden = false; });
	} else if (!seen && news) {
		news.close();
		news = null;
	}
};
addEventListener("visibilitychange", listen);
addEventListener("pageshow", listen);
addEventListener("pagehide", () => { news?.close(); news = null; });

// The inbox by keys: one word on one item for each page.
if (document.body.dataset.page === "review") {
	const cards = all(".inbox > .card"), kept = "recall-review";
	let at = -1, sent = false;
	const go = to => {
		if (!cards.length) return;
		cards[at]?.classList.remove("at");
		at = Math.max(0, Math.min(cards.length - 1, to));
		cards[at].classList.add("at");
		cards[at].focus();
	};
	addEventListener("submit", () => { sent = true; sessionStorage.setItem(kept, at); });
	addEventListener("pageshow", e => { if (e.persisted) sent = false; });
	addEventListener("focusin", e => {
		const card = cards.indexOf(e.target.closest(".card"));
		if (card >= 0 && card !== at) { cards[at]?.classList.remove("at"); at = card; cards[at].classList.add("at"); }
	});
	addEventListener("keydown", e => {
		if (e.repeat || sent || e.ctrlKey || e.metaKey || e.altKey || e.target.closest("input, textarea, select")) return;
		if (e.key === "j") go(at + 1);
		else if (e.key === "k") go(at - 1);
		else if (e.key === "u") document.querySelector(".notice button")?.click();
		else if (at >= 0 && "yedp".includes(e.key)) {
			cards[at].querySelector(`[data-key=${e.key}]`)?.click();
			if (e.key === "e") { e.preventDefault(); cards[at].querySelector("textarea").focus(); }
		}
	});
	go(Number(sessionStorage.getItem(kept) ?? 0));
	sessionStorage.removeItem(kept);
}

// A span of the time line, drawn with the mouse, is what is shown: since its beginning, as of its end.
const chart = document.querySelector("svg.chart");
if (chart) {
	const { from, to, left, right } = Object.fromEntries(Object.entries(chart.dataset).map(([k, v]) => [k, Number(v)]));
	const x = e => new DOMPoint(e.clientX, e.clientY).matrixTransform(chart.getScreenCTM().inverse()).x;
	const day = x => {
		const t = new Date(1000 * (from + (to - from) * Math.max(0, Math.min(1, (x - left) / (right - left)))));
		return [t.getFullYear(), t.getMonth() + 1, t.getDate()].map(n => String(n).padStart(2, "0")).join("-");
	};
	let begun = null, brush = null;
	const end = () => { begun = null; brush?.remove(); };
	chart.addEventListener("pointerdown", e => {
		if (e.target.closest("a") || e.button) return;
		begun = x(e);
		brush = document.createElementNS("http://www.w3.org/2000/svg", "rect");
		for (const [k, v] of Object.entries({ class: "brush", y: 0, height: chart.viewBox.baseVal.height })) brush.setAttribute(k, v);
		chart.append(brush);
		chart.setPointerCapture(e.pointerId);
	});
	chart.addEventListener("pointermove", e => {
		if (begun === null) return;
		brush.setAttribute("x", Math.min(begun, x(e)));
		brush.setAttribute("width", Math.abs(x(e) - begun));
	});
	chart.addEventListener("pointercancel", end);
	chart.addEventListener("pointerup", e => {
		if (begun === null) return;
		const [first, last] = [begun, x(e)].sort((a, b) => a - b), form = document.getElementById("span");
		end();
		if (last - first < 8) return;
		form.elements.since.value = day(first);
		form.elements.asof.value = day(last);
		form.submit();
	});
}
