package payload

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var editedAt = time.Date(2026, 4, 18, 9, 0, 0, 0, time.UTC)

// written is the example, rendered and saved with its page.
func written(budget int) *Payload {
	p := example()
	p.Items = append(p.Items, Item{ID: "e2e2e2e2e2", Kind: Next, Text: "Tell the client about the window.", State: Stands,
		At: p.End})
	save(p, budget)
	return p
}

func save(p *Payload, budget int) {
	r := Render(p, Options{Budget: budget, Editable: true})
	p.Written, p.WrittenIDs = r.Text, r.Shown
}

func TestMerge(t *testing.T) {
	ptr := func(s string) *string { return &s }
	kind, done := Flag, Done
	for _, tt := range []struct {
		name     string
		old, new string // replaced in the page
		want     []Edit
	}{
		{"nothing", "", "", nil},
		{"blank lines and bullets", "\n- Log", "\n\n*  Log", nil},
		{"Windows line ends", "\n", "\r\n", nil},
		{"a changed word", "before changing", "before touching", []Edit{{Op: OpSet, ID: "b7xw4c5d2e",
			Set: &Fields{Text: ptr("Log at acquire() before touching the lock order")}}}},
		{"another reason", "the window must be confirmed first.", "we want proof",
			[]Edit{{Op: OpSet, ID: "b7xw4c5d2e", Set: &Fields{Why: ptr("we want proof")}}}},
		{"said anew in its place", "Find and fix the race that duplicates jobs under high concurrency.",
			"Rewrite everything.", []Edit{{Op: OpSet, ID: "k3v9t2m8qa", Set: &Fields{Text: ptr("Rewrite everything.")}}}},
		{"a line deleted", "- Duplicate DB writes — the write is idempotent; duplicates occur before it.\n", "",
			[]Edit{{Op: OpDrop, ID: "5hq2n6r3ya"}}},
		{"a section deleted", "## Hypotheses eliminated (do not revisit)\n- Duplicate DB writes — the write is idempotent; duplicates occur before it.\n", "", []Edit{{Op: OpDrop, ID: "5hq2n6r3ya"}}},
		{"another title", "Fix duplicate jobs in ProcessQueue", "The queue's race",
			[]Edit{{Op: OpTitle, Title: "The queue's race"}}},
		{"pinned", "- Duplicate", "- [pinned] Duplicate", []Edit{{Op: OpPin, ID: "5hq2n6r3ya"}}},
		{"ticked", "2. Tell", "2. [x] Tell", []Edit{{Op: OpSet, ID: "e2e2e2e2e2", Set: &Fields{State: &done}}}},
		{"moved to another section", "## Hypotheses eliminated (do not revisit)", "## Don't forget",
			[]Edit{{Op: OpSet, ID: "5hq2n6r3ya", Set: &Fields{Kind: &kind}}}},
		{"a line copied", "- Duplicate DB writes — the write is idempotent; duplicates occur before it.\n",
			"- Duplicate DB writes — the write is idempotent; duplicates occur before it.\n- Duplicate DB writes — the write is idempotent; duplicates occur before it.\n", nil},
		{"a line added", "## Hypotheses", "## Warnings\n- Freeze on Friday\n\n## Hypotheses",
			[]Edit{{Op: OpAdd, ID: "4iqi36k8fa", Item: &Item{
				ID: "4iqi36k8fa", Kind: Flag, Text: "Freeze on Friday", By: ByUser, Maker: ByHuman, Confidence: 1, State: Stands,
				At: editedAt}}}},
		{"next actions swapped", "1. Add logging at ProcessQueue.acquire() lines 44–47, then run the load test at 200 workers.\n2. Tell the client about the window.",
			"1. Tell the client about the window.\n2. Add logging at ProcessQueue.acquire() lines 44–47, then run the load test at 200 workers.", []Edit{{Op: OpPin, ID: "e2e2e2e2e2"}}},
	} {
		p := written(0)
		edits, err := Merge(p, strings.ReplaceAll(p.Written, tt.old, tt.new), "ada", editedAt)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		for i := range tt.want {
			tt.want[i].Who, tt.want[i].At = "ada", editedAt
		}
		if diff := cmp.Diff(tt.want, edits); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		// Applied and rendered, the person's page has nothing left to merge.
		after := Apply(p, edits)
		save(after, 0)
		if edits, err := Merge(after, after.Written, "ada", editedAt); err != nil || len(edits) != 0 {
			t.Errorf("%s: merging its own page got %v, %v, want nothing", tt.name, edits, err)
		}
	}
}

func TestMergeNamesTheLine(t *testing.T) {
	p := written(0)
	_, err := Merge(p, strings.Replace(p.Written, "## Decisions made", "```", 1), "ada", editedAt)
	if err == nil || !strings.HasPrefix(err.Error(), `payload.md: line 8: a code block can't be an item`) {
		t.Errorf("got %v", err)
	}
}

// A heading that names no kind leaves what was there what it was, and makes a note of
// what is new.
func TestMergeUnderAnOddHeading(t *testing.T) {
	p := written(0)
	edits, err := Merge(p, strings.Replace(p.Written, "## Decisions made\n", "## Musings\n- Ask legal\n", 1), "ada",
		editedAt)
	if err != nil || len(edits) != 1 || edits[0].Op != OpAdd || edits[0].Item.Kind != Flag ||
		edits[0].Item.Text != "Musings: Ask legal" {
		t.Errorf("got %+v, %v, want the new line added as what not to forget", edits, err)
	}
}

func TestALineCutForTheBudgetIsNotADrop(t *testing.T) {
	p := many(10)
	save(p, 400)
	page := p.Written
	if !strings.Contains(page, " more: recall show ") {
		t.Fatal("nothing was cut")
	}
	edits, err := Merge(p, strings.Replace(page, "decision number 9 says", "decision number 9 no longer says", 1),
		"ada", editedAt)
	if err != nil || len(edits) != 1 || edits[0].Op != OpSet {
		t.Errorf("got %v, %v, want one set", edits, err)
	}
	edits, err = Merge(p, strings.Replace(page, "## Decisions made\n",
		"## Decisions made\n- The decision number 0 says something of about a dozen words or so\n", 1), "ada", editedAt)
	if err != nil || len(edits) != 1 || edits[0].Op != OpPin {
		t.Errorf("a cut line written again: got %v, %v, want it pinned", edits, err)
	}
}

// Both sides changed: what was distilled since stays, where the person spoke
// theirs wins.
func TestThePersonsWordWins(t *testing.T) {
	p := written(0)
	page := strings.Replace(p.Written, "before changing", "before touching", 1)
	page = strings.Replace(page, "- Duplicate DB writes — the write is idempotent; duplicates occur before it.\n", "", 1)
	p.find("b7xw4c5d2e").Text = "Log acquire() first"
	p.find("b7xw4c5d2e").Why = "nobody has seen the window yet"
	p.find("5hq2n6r3ya").Text = "The database writing twice"
	p.Items = append(p.Items, Item{ID: "f3f3f3f3f3", Kind: Status, Text: "New since", State: Stands})
	edits, err := Merge(p, page, "ada", editedAt)
	if err != nil {
		t.Fatal(err)
	}
	p = Apply(p, edits)
	if it := p.find("b7xw4c5d2e"); it.Text != "Log at acquire() before touching the lock order" ||
		it.Why != "nobody has seen the window yet" || it.Was != "Log acquire() first" {
		t.Errorf("the changed decision: got %q, %q, was %q", it.Text, it.Why, it.Was)
	}
	if p.find("5hq2n6r3ya") != nil || p.find("f3f3f3f3f3") == nil {
		t.Error("the dropped item stands or the new one is gone")
	}
}

func TestMergeWithoutAWrittenPage(t *testing.T) {
	p := example()
	page := Render(p, Options{Variant: Debug, Editable: true}).Text
	page = strings.Replace(page, "- Duplicate DB writes — the write is idempotent; duplicates occur before it.\n", "", 1)
	edits, err := Merge(p, page, "ada", editedAt)
	if err != nil || len(edits) != 1 || edits[0].Op != OpDrop || edits[0].ID != "5hq2n6r3ya" {
		t.Errorf("got %v, %v, want the one drop", edits, err)
	}
	edits, err = Merge(p, "## Warnings\n- Freeze on Friday\n", "ada", editedAt)
	if err != nil || len(edits) != 1 || edits[0].Op != OpAdd {
		t.Errorf("a page of their own: got %v, %v, want one add and no drop", edits, err)
	}
}

// Any items, any of them deleted, and the lines in any order: just those are dropped.
func TestMergeFindsJustTheDeleted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := &Payload{Session: "7f3c"}
		for i := range rapid.IntRange(1, 12).Draw(t, "items") {
			p.Items = append(p.Items, Item{Kind: rapid.SampledFrom(Kinds[1:4]).Draw(t, "kind"),
				Text: strings.Repeat("x", i+1) + " " + anyText.Draw(t, "text"), State: Stands})
		}
		Mint("s", p.Items, map[ItemID]bool{})
		save(p, -1)
		gone := map[ItemID]bool{}
		edited := *p
		edited.Items = nil
		for _, it := range rapid.Permutation(p.Items).Draw(t, "order") {
			if rapid.Bool().Draw(t, "deleted") {
				gone[it.ID] = true
			} else {
				edited.Items = append(edited.Items, it)
			}
		}
		page := Render(&edited, Options{Variant: Handoff, Budget: -1}).Text
		head, _, _ := strings.Cut(p.Written, "\n")
		_, body, _ := strings.Cut(page, "\n")
		edits, err := Merge(p, head+"\n"+body, "ada", editedAt)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range edits {
			if e.Op != OpDrop || !gone[e.ID] {
				t.Fatalf("got %s of %s, want drops of %v only", e.Op, e.ID, gone)
			}
			delete(gone, e.ID)
		}
		if len(gone) > 0 {
			t.Fatalf("%v not dropped", gone)
		}
	})
}

// Whatever a person does to a page, what it says is what stands afterwards: all
// its lines, and no others; and then there is nothing left to merge.
func TestThePageIsWhatStands(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := &Payload{Session: "7f3c", Start: editedAt}
		for range rapid.IntRange(0, 10).Draw(t, "items") {
			it := Item{Kind: rapid.SampledFrom(Kinds).Draw(t, "kind"), Text: tameText.Draw(t, "text"), State: Stands,
				Pinned: rapid.Bool().Draw(t, "pinned")}
			if it.Kind == File {
				it.Path = rapid.StringMatching(`[a-c]\.go`).Draw(t, "path")
			}
			p.Items = append(p.Items, it)
		}
		Mint(p.Session, p.Items, map[ItemID]bool{})
		save(p, -1)
		lines := strings.SplitAfter(p.Written, "\n")
		for range rapid.IntRange(0, 4).Draw(t, "edits") {
			i := rapid.IntRange(3, len(lines)-1).Draw(t, "line")
			switch rapid.SampledFrom([]string{"delete", "add", "copy", "append"}).Draw(t, "what") {
			case "delete":
				// a page without its end is refused
				if !strings.HasPrefix(lines[i], "#") && !strings.HasPrefix(lines[i], "<!-- /") {
					lines[i] = ""
				}
			case "add":
				lines = append(lines, "\n", "## "+rapid.SampledFrom(layouts[Handoff]).Draw(t, "section").heading+"\n",
					"- "+tameText.Draw(t, "new")+"\n")
			case "copy":
				if strings.HasPrefix(lines[i], "- ") {
					lines = append(lines, lines[i])
				}
			case "append":
				if !strings.HasPrefix(lines[i], "#") && !strings.HasPrefix(lines[i], "<") && lines[i] != "\n" && lines[i] != "" {
					lines[i] = strings.TrimSuffix(lines[i], "\n") + " " + tameText.Draw(t, "more") + "\n"
				}
			}
		}
		page := strings.Join(lines, "")
		doc, err := Read(page)
		if err != nil {
			t.Fatal(err)
		}
		edits, err := Merge(p, page, "ada", editedAt)
		if err != nil {
			t.Fatal(err)
		}
		after := Apply(p, edits)
		save(after, -1)
		want, got := map[string]bool{}, map[string]bool{}
		for _, l := range doc.Lines {
			want[string(l.Item.Kind)+" "+LineOf(&l.Item)] = true
		}
		for i := range after.Items {
			got[string(after.Items[i].Kind)+" "+LineOf(&after.Items[i])] = true
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("(-page +items):\n%s\nof edits %v on\n%s", diff, edits, page)
		}
		if again, err := Merge(after, after.Written, "ada", editedAt); err != nil || len(again) > 0 {
			t.Fatalf("merged again: got %v, %v", again, err)
		}
	})
}

func FuzzMerge(f *testing.F) {
	f.Add(designPage)
	f.Add(strings.ReplaceAll(designPage, "- ", "* [x] "))
	f.Fuzz(func(t *testing.T, page string) {
		p := written(0)
		edits, err := Merge(p, page, "ada", editedAt)
		if err != nil {
			return
		}
		after := Apply(p, edits)
		save(after, 0)
		if again, err := Merge(after, after.Written, "ada", editedAt); err != nil || len(again) > 0 {
			t.Fatalf("merged again: got %v, %v", again, err)
		}
	})
}

// A page that a full disk, a crash or a half-done download cut off is no
// edit: nothing of what is missing was taken out by a person.
func TestCutOffPageDropsNothing(t *testing.T) {
	p := written(0)
	for at := range len(p.Written) - len("<!-- /recall -->") {
		edits, err := Merge(p, p.Written[:at], "ada", editedAt)
		if len(edits) > 0 {
			t.Fatalf("cut after %d bytes: got %v", at, edits)
		}
		if at > 200 && err == nil {
			t.Fatalf("cut after %d bytes: got no error", at)
		}
	}
	if edits, err := Merge(p, strings.Repeat("\n", 9), "ada", editedAt); err != nil || len(edits) > 0 {
		t.Errorf("blank lines: got %v, %v", edits, err)
	}
	if _, err := Merge(p, strings.Repeat("\x00", len(p.Written)), "ada", editedAt); err == nil ||
		!strings.Contains(err.Error(), "UTF-8") {
		t.Errorf("NUL bytes: got error %v", err)
	}
	bare := strings.TrimSuffix(p.Written[strings.Index(p.Written, "\n")+1:], "<!-- /recall -->\n")
	if edits, err := Merge(p, bare, "ada", editedAt); err != nil || len(edits) > 0 {
		t.Errorf("without both markers: got %v, %v", edits, err)
	}
}
