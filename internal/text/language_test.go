package text

import "testing"

func TestSameLanguage(t *testing.T) {
	english := "We keep the queue in one table because it is what the workers read, " +
		"and that is not to be changed for this release, which was built from it. "
	german := "Die Aufträge werden nach dem Alter geordnet und nicht nach der Größe, " +
		"weil das für die Arbeiter besser ist und sich auch mit der Liste verträgt. "
	russian := "Очередь хранится в одной таблице, потому что её читают все рабочие процессы, и это не меняется. "
	long := func(s string) string { return s + s + s + s }
	for name, tt := range map[string]struct {
		said, answer string
		want         bool
	}{
		"English":                     {long(english), long(english), true},
		"German":                      {long(german), long(german), true},
		"English, answered in German": {long(english), long(german), false},
		"German, answered in English": {long(german), long(english), false},
		"answered in another script":  {long(english), long(russian), false},
		"Russian among English":       {long(english) + long(russian), long(russian), true},
		"English and German":          {long(english) + long(german), long(german), true},
		"hardly anything said":        {"ok", long(german), true},
		"hardly anything answered":    {long(english), "Warteschlange", true},
	} {
		if got := SameLanguage(tt.said, "ok", tt.answer); got != tt.want {
			t.Errorf("%s: got %v, want %v", name, got, tt.want)
		}
	}
	if !SameLanguage(long(english), "bitte die Liste nicht anfassen", long(german)) ||
		!SameLanguage(long(english), "сделай это", long(russian)) {
		t.Error("an answer in the language of a person who types little isn't taken")
	}
}
