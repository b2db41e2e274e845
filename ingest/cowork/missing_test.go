package cowork

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recall/ingest"
	"recall/ingest/ingesttest"
)

// Whatever part of the sample is missing, the rest says the same.
func TestPartsMissing(t *testing.T) {
	found, _ := Reader{}.Find(context.Background(), sampleRoot, nil)
	whole := found[slices.IndexFunc(found,
		func(f ingest.Found) bool { return f.ID == "local_c0000000-0000-4000-8000-00000000000c" })]
	without := func(roles ...ingest.FileRole) *ingest.Session {
		f := whole
		f.Files = slices.DeleteFunc(slices.Clone(f.Files),
			func(x ingest.File) bool { return slices.Contains(roles, x.Role) })
		return ingesttest.Parse(t, Reader{}, f)
	}
	// said is an outline without where it comes from.
	said := func(s *ingest.Session) []string {
		var list []string
		for i := range s.Turns {
			s.Turns[i].File = ""
		}
		list = append(list, outline(s)...)
		return list
	}
	all := said(without())

	if diff := cmp.Diff(all, said(without(ingest.Transcript))); diff != "" {
		t.Errorf("of the log alone, -whole +got:\n%s", diff)
	}
	if diff := cmp.Diff(all[2:], said(without(ingest.AuditLog))); diff != "" {
		t.Errorf("of the transcript alone, -whole +got:\n%s", diff)
	}
	noRecord := without(ingest.Record, SpacesFile)
	if diff := cmp.Diff(all, said(noRecord)); diff != "" {
		t.Errorf("without a record, -whole +got:\n%s", diff)
	}
	if noRecord.Title != "Compare two vendor offers" || noRecord.Start.IsZero() {
		t.Errorf("without a record: title %q, start %v", noRecord.Title, noRecord.Start)
	}
	logOnly := without(ingest.Transcript, ingest.Record)
	if logOnly.Title != "We only consider vendors with EU hosting." || logOnly.Usage.Output != 300 {
		t.Errorf("of the log alone: title %q, usage %+v; want the first prompt, and the tokens that its results state",
			logOnly.Title, logOnly.Usage)
	}
	if s := without(ingest.Transcript, ingest.AuditLog); len(s.Turns) > 0 || s.Title != "Vendor comparison" {
		t.Errorf("of the record alone: %d turns, title %q", len(s.Turns), s.Title)
	}
}

// A parser doesn't know where files lie: out of the library, without paths, they
// give the same session but for places on this machine.
func TestParseFromTheLibrary(t *testing.T) {
	found, _ := Reader{}.Find(context.Background(), sampleRoot, nil)
	for _, f := range found {
		here := ingesttest.Parse(t, Reader{}, f)
		f.Root = ""
		f.Files = slices.Clone(f.Files)
		for i := range f.Files {
			f.Files[i].Path = ""
		}
		there := ingesttest.Parse(t, Reader{}, f)
		if diff := cmp.Diff(outline(here), outline(there)); diff != "" || here.Title != there.Title ||
			!here.Start.Equal(there.Start) {
			t.Errorf("%s, -source +library:\n%s", f.ID, diff)
		}
	}
}
