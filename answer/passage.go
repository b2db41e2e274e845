package answer

import (
	"fmt"
	"strings"

	"recall/index"
	"recall/text"
)

// Passage is what of a turn answers the question: whole sentences, verbatim.
func (v Voice) Passage(r *Result) string {
	said := v.line(r.Passage)
	if said == "" {
		return ""
	}
	before, after, _ := strings.Cut(r.Text, r.Passage)
	if strings.TrimSpace(before) != "" {
		said = "… " + said
	}
	if strings.TrimSpace(after) != "" {
		said += " …"
	}
	return said
}

// Nearest is a result, and where it stands, where there is no answer; "" if it is near
// to nothing.
func (v Voice) Nearest(r *Result) string {
	if !r.speaksOf() {
		return ""
	}
	at := v.Where(r.Place, 0, false)
	if r.Turn > 0 && r.Source != index.Handed {
		at = fmt.Sprintf("turn %d of %s", r.Turn, at)
	}
	said, day := text.Clip(v.Passage(r), 160), r.At
	if r.Item != nil {
		said, day = text.Clip(v.Sentence(*r.Item), 160), r.Item.At
	}
	return fmt.Sprintf("\"%s\" (%s), %s.", strings.TrimRight(said, "."), Day(day), at)
}
