package llm

import "testing"

func TestUnknownIsTheServicesOwnWord(t *testing.T) {
	for _, c := range []struct {
		err  Error
		want bool
	}{
		{Error{Fault: NotFound, Status: 404, Text: "no such batch"}, true},
		{Error{Fault: Rejected, Status: 400, Text: "invalid batch id"}, true},
		{Error{Fault: NotFound, Status: 404, Text: WebPage}, false},
		{Error{Fault: Rejected, Status: 400, Text: WebPage}, false},
		{Error{Fault: NotFound, Status: 200, Text: WebPage + " instead of an answer"}, false},
		{Error{Fault: Unreachable}, false},
	} {
		if got := c.err.Unknown(); got != c.want {
			t.Errorf("%v: got %v, want %v", &c.err, got, c.want)
		}
	}
}
