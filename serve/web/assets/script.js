// What pages do beyond forms and links; each also works without this script.
const all = (query, from = document) => [...from.querySelectorAll(query)];
const inSession = document.body.dataset.page === "session";
const two = n => String(n).padStart(2, "0");
const dayOf = t => `${t.getFullYear()}-${two(t.getMonth() + 1)}-${two(t.getDate())}`;

// Loads a page as a document. XMLHttpRequest, because only it parses a response into one where scripts may not turn text
// into markup.
const load = url => new Promise((good, bad) => {
	const ask = new XMLHttpRequest();
	ask.open("GET", url);
	ask.responseType = "document";
	ask.onload = () => ask.status === 200 && ask.response ? good(ask.response) : bad();
	ask.onerror = bad;
	ask.send();
});

// Replaces a part of the page, by its id, with the same part of another page.
let asked = 0;
const part = async (url, id) => {
	const n = ++asked, page = await load(url), found = page.getElementById(id);
	if (n !== asked) return;
	if (!found) throw id;
	document.title = page.title;
	document.getElementById(id).replaceChildren(...document.adoptNode(found).childNodes); // the live region stays the same element
	ready();
};

// A session that goes on: its last turn and what follows, the outline, the strip and the figures are renewed in place; who
// has come to the end stays there.
const follow = async () => {
	const shown = all(".told"), url = new URL(location.href), end = document.documentElement;
	url.searchParams.set("from", shown.at(-1)?.id.slice(1) ?? 1);
	const page = await load(url), atEnd = end.scrollHeight - innerHeight - scrollY < 100;
	for (const turn of all(".told", page)) {
		const old = document.getElementById(turn.id);
		if (old?.textContent === turn.textContent) continue;
		if (old) old.replaceWith(document.adoptNode(turn)); else document.querySelector(".transcript").append(document.adoptNode(turn));
	}
	for (const query of [".outline ol", ".strip", "main > .where"]) {
		const now = all(query, page);
		all(query).forEach((e, i) => { if (now[i]) e.replaceChildren(...document.adoptNode(now[i]).childNodes); });
	}
	ready();
	if (atEnd) scrollTo({ top: end.scrollHeight });
};

// A form with data-part replaces only that part of its page.
const asks = document.querySelector("form[data-part]"), own = asks?.dataset.part ?? "main";
asks?.addEventListener("submit", async e => {
	e.preventDefault();
	const url = location.pathname + "?" + new URLSearchParams(new FormData(asks));
	try { await part(url, own); } catch { location = url; return; }
	if (url !== location.pathname + location.search) history.pushState(null, "", url);
});
if (asks) addEventListener("popstate", () => location.reload());

// Listen for changes, only while the page is visible, since a browser allows few connections. A change is shown at
// once unless the person is working in that part.
let news = null;
const listen = () => {
	const seen = document.visibilityState === "visible";
	if (seen && !news) {
		news = new EventSource("/live" + (inSession ? "?session=" + location.pathname.split("/")[2] : ""));
		news.addEventListener("changed", async () => {
			if (inSession) return void follow().catch(() => {});
			const busy = document.getElementById(own).contains(document.activeElement);
			try { if (busy) throw busy; await part(location.href, own); } catch { document.getElementById("news").hidden = false; }
		});
	} else if (!seen && news) {
		news.close();
		news = null;
	}
};
addEventListener("visibilitychange", listen);
addEventListener("pageshow", listen);
addEventListener("pagehide", () => { news?.close(); news = null; });

// Keyboard shortcuts of the inbox: one answer about one item per page load.
if (document.body.dataset.page === "review") {
	const cards = () => all(".inbox > .card"), kept = "recall-review";
	let at = -1, sent = false;
	const go = (to, quiet) => {
		const on = cards();
		if (!on.length) return;
		on[at]?.classList.remove("at");
		at = Math.max(0, Math.min(on.length - 1, to));
		on[at].classList.add("at");
		on[at].focus({ preventScroll: quiet });
	};
	addEventListener("submit", () => { sent = true; sessionStorage.setItem(kept, at); });
	addEventListener("pageshow", e => { if (e.persisted) sent = false; });
	addEventListener("focusin", e => {
		const on = cards(), card = on.indexOf(e.target.closest(".card"));
		if (card >= 0 && card !== at) { on[at]?.classList.remove("at"); at = card; on[at].classList.add("at"); }
	});
	addEventListener("keydown", e => {
		if (e.repeat || sent || e.ctrlKey || e.metaKey || e.altKey || e.target.closest("input, textarea, select")) return;
		const card = cards()[at];
		if (e.key === "j") go(at + 1);
		else if (e.key === "k") go(at - 1);
		else if (e.key === "u") document.querySelector(".notice button")?.click();
		else if (e.key === "Y") {
			let group = card;
			while (group && !group.matches(".group")) group = group.previousElementSibling;
			group?.querySelector("button")?.click();
		}
		else if (card && "yedpnob".includes(e.key)) {
			const button = card.querySelector(`[data-key=${e.key}]`);
			button?.click();
			if (button && e.key === "e") { e.preventDefault(); card.querySelector("textarea").focus(); }
		}
	});
	const was = sessionStorage.getItem(kept);
	go(Number(was ?? 0), was === null);
	sessionStorage.removeItem(kept);
}

// j and k go down and up: from prompt to prompt of a session, else from result to result; n and p from hit to hit of what
// was looked for. The place is kept in the page, as its parts may be replaced.
const step = (query, by) => {
	const list = all(query), at = list.findIndex(e => e.matches(".at"));
	const next = list[Math.max(0, Math.min(list.length - 1, at + by))];
	if (!next) return;
	list[at]?.classList.remove("at");
	next.classList.add("at");
	next.scrollIntoView({ block: "center" });
	if (next.matches(".hit")) document.getElementById("hit").textContent = `${list.indexOf(next) + 1} of ${list.length}`;
	if (!inSession) next.querySelector("a, summary")?.focus({ preventScroll: true });
};
const down = inSession ? ".turn.user" : ".results > li, .log > li", hit = ".transcript mark.hit";
const steps = { n: [hit, 1], p: [hit, -1], j: [down, 1], k: [down, -1] };
addEventListener("click", e => { if (e.target.dataset?.step) step(...steps[e.target.dataset.step]); });

// On every page / goes to its search, ? shows the keys, and g with h, s, r or t goes to another page; f opens and folds
// a session's calls.
let went = -1e9;
addEventListener("keydown", e => {
	if (e.ctrlKey || e.metaKey || e.altKey || e.target.closest("input, textarea, select")) return;
	const to = { h: "/", s: "/sessions", r: "/review", t: "/time" }[e.key];
	if (to && e.timeStamp - went < 1500) return void (location.href = to);
	if (steps[e.key] && document.body.dataset.page !== "review") step(...steps[e.key]);
	if (e.key === "g") went = e.timeStamp;
	if (e.key === "?") document.getElementById("keys").togglePopover();
	if (e.key === "f") {
		const folds = all(".transcript details"), open = folds.some(fold => !fold.open);
		for (const fold of folds) fold.open = open;
	}
	if (e.key !== "/") return;
	const field = document.querySelector("main input[type=search], main form input:not([type=hidden])");
	if (field) { e.preventDefault(); field.focus(); }
});

// A slider steps through the days of the date field before it, and submits the form when it comes to rest.
const slide = range => {
	const field = range.form.elements[range.dataset.day], after = range.dataset.day === "asof";
	const day = n => { const t = new Date(range.dataset.first + "T12:00"); t.setDate(t.getDate() + n); return t; };
	const days = t => Math.round((t - day(0)) / 864e5);
	range.max = days(new Date(field.max + "T12:00"));
	const tell = () => { range.ariaValueText = field.value || (after ? "today" : "the beginning"); };
	const place = () => { range.value = field.value ? days(new Date(field.value + "T12:00")) : after ? range.max : 0; tell(); };
	place();
	range.hidden = false;
	field.addEventListener("input", place);
	let later = 0;
	range.addEventListener("input", () => {
		const end = range.value === (after ? range.max : range.min);
		field.value = end ? "" : dayOf(day(Number(range.value)));
		tell();
		clearTimeout(later);
		later = setTimeout(() => { if (range.form.checkValidity()) range.form.requestSubmit(); }, 200);
	});
};

// What can be said of an item opens where it stands, and leads back to there; else it is a page of its own.
addEventListener("click", async e => {
	const link = e.target.closest("a.change");
	if (!link || e.ctrlKey || e.metaKey || e.shiftKey) return;
	e.preventDefault();
	try {
		const form = document.adoptNode((await load(link.href)).querySelector("form.acts"));
		link.replaceWith(form);
		form.querySelector("button").focus();
	} catch { location = link.href; }
});

// The calls that failed are what a link to them is about, wherever they are in their turn.
const failed = () => document.querySelector(".told:has(> .failing:target) .calls .failed")?.scrollIntoView({ block: "center" });
addEventListener("hashchange", failed);

// Prepares newly shown parts of a page.
const ready = () => {
	for (const button of all(".copies[hidden]")) {
		button.hidden = !navigator.clipboard;
		button.addEventListener("click", async () => {
			await navigator.clipboard.writeText(button.previousElementSibling.textContent);
			button.textContent = "Copied";
		});
	}
	for (const range of all("input[data-day][hidden]")) slide(range);
	for (const found of all(hit)) for (let fold = found.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
};
ready();
if (document.querySelector(hit)) document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView(); // what opened moved it
failed();
