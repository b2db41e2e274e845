package synthtest

import (
	"math/rand/v2"
	"strings"
)

// project is one that nobody has: what its people talk about.
type project struct {
	name    string
	root    string
	lang    string // ending of its files
	parts   []string
	things  []string
	choices []choice
}

// choice is what a project's people may decide between.
type choice struct {
	about, taken, left, why string
}

func (p *project) dir() string { return p.root + "/" + p.name }

var projects = []project{
	{
		name: "tidewater", root: "/home/mira/src", lang: "go",
		parts:  strings.Fields("ingest scheduler ledger forecast gauge station alert export retry archive feed parser"),
		things: strings.Fields("reading station tide window batch queue checkpoint offset cursor sample drift threshold gap spike backfill shard snapshot interval buffer lease"),
		choices: []choice{
			{"storage of readings", "SQLite in WAL mode", "a Postgres container",
				"one file per station is easy to copy to the boats"},
			{"retries of failed uploads", "exponential backoff with jitter", "a fixed delay of 30 seconds",
				"all stations woke up at the same second and flooded the gateway"},
			{"the clock of a station", "the GPS time", "the system clock", "the boards lose two minutes a week"},
			{"late readings", "a second pass over the last 48 hours", "dropping them", "the buoys come back online hours later"},
			{"the export format", "Parquet files by month", "one big CSV", "the analysts load a single column at a time"},
			{"alert thresholds", "a percentile per station", "one global limit",
				"the harbour gauges are noisier than the open sea ones"},
		},
	},
	{
		name: "lantern-notes", root: "/Users/jo/code", lang: "ts",
		parts:  strings.Fields("editor sync outline search palette storage render shortcut plugin export history conflict"),
		things: strings.Fields("block note cursor selection undo patch outline backlink tag draft vault attachment preview theme index revision device merge"),
		choices: []choice{
			{"merging of two devices' edits", "a CRDT per note", "last write wins", "people lost whole paragraphs on the train"},
			{"full text search", "an index in a web worker", "a scan at each key press",
				"typing stuttered with four thousand notes"},
			{"undo", "one history per note", "a global history", "undo jumped to another note and confused everyone"},
			{"attachments", "content-addressed files beside the vault", "data URLs in the note",
				"a note with five photos took two seconds to open"},
			{"plugins", "a sandboxed iframe", "running them in the page", "one broken plugin froze the editor"},
			{"the outline panel", "rendering only what is visible", "paginating it",
				"nobody wants to click through pages of headings"},
		},
	},
	{
		name: "bakehouse", root: "/home/sam/work", lang: "py",
		parts:  strings.Fields("orders oven recipes stock billing labels delivery forecast planner till imports reports"),
		things: strings.Fields("order batch recipe tray shift supplier invoice allergen label route slot dough stock forecast price voucher receipt shortage"),
		choices: []choice{
			{"the planning run", "a job at four in the morning", "planning at each order",
				"the bakers print the plan once and never look again"},
			{"prices", "integers of cents", "floats", "the till and the invoice differed by one cent"},
			{"allergens", "deriving them from ingredients", "a free text field", "a label for sesame was missing in March"},
			{"stock counts", "an append-only ledger of movements", "updating a counter in place",
				"two tills sold the last loaf twice"},
			{"label printing", "ZPL over the network", "PDF through the driver", "the driver scales the barcode"},
			{"routes", "a greedy pass with time windows", "an exact solver", "the solver took nine minutes for thirty stops"},
		},
	},
	{
		name: "quillpress", root: "/home/mira/src", lang: "rs",
		parts:  strings.Fields("layout shaping hyphen fonts pages figures refs cache watch diag emit images"),
		things: strings.Fields("glyph line paragraph break penalty figure footnote page font kerning ligature reference span cache fragment margin column widow"),
		choices: []choice{
			{"line breaking", "total fit over a paragraph", "first fit",
				"the rivers of white space were visible in narrow columns"},
			{"the cache key of a page", "a hash of its fragments", "the file's time", "git checkouts touch every file"},
			{"missing glyphs", "a fallback font with a warning", "an error", "one emoji in a footnote stopped the whole book"},
			{"footnotes", "laying them out with the page", "a second pass", "the second pass moved lines and never settled"},
			{"images", "decoding at emit time", "decoding at parse time", "memory went to four gigabytes with the photo book"},
			{"diagnostics", "spans into the source", "line numbers only", "an include made the numbers meaningless"},
		},
	},
}

// words returns a picker of a project's words, common ones often and rare ones
// hardly ever.
func (p *project) words(r *rand.Rand) func() string {
	zipf := rand.NewZipf(r, 1.15, 3, uint64(len(p.parts)*len(p.things)-1))
	return func() string {
		i := int(zipf.Uint64())
		if i < len(p.things) {
			return p.things[i]
		}
		return p.things[i%len(p.things)] + " " + p.parts[i/len(p.things)%len(p.parts)]
	}
}

// identifier is a name as code has it: of a part, a verb and a thing.
func (p *project) identifier(r source) string {
	verb := r.one(verbs)
	a, b := r.one(p.parts), r.one(p.things)
	switch p.lang {
	case "py", "rs":
		return verb + "_" + a + "_" + b
	default:
		return verb + capital(a) + capital(b)
	}
}

var verbs = strings.Fields("load store find merge split check apply build parse flush open close drop keep count render plan resolve rebuild collect")

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// file is the path of one of the project's files, relative to its directory.
func (p *project) file(r source) string {
	name := r.one(p.things)
	if r.chance(4) {
		name += "_test"
	}
	return "internal/" + r.one(p.parts) + "/" + name + "." + p.lang
}
