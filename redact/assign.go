package redact

// assignment returns where the value begins of the name that ends at at, if an
// operator follows it. It is what the named rules of gitleaks have in common:
//
//	(?:[ \t\w.-]{0,20})[\s'"]{0,3}(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}
//
// escaped quotes allowed, and any of these marks in a row.
func assignment(text string, at int) (value int, ok bool) {
	at = skip(text, skip(text, at, inName, 20), gap, 4)
	end := run(text, at, 0, "=>:|?,", 4)
	return skip(text, end, lead, 6), end > at
}

// skipBack returns the beginning of the name that ends at to.
func skipBack(text string, to, most int) int {
	at := to
	for at > 0 && to-at < most && (wordChar(text[at-1]) || text[at-1] == '-' || text[at-1] == '.') {
		at--
	}
	return at
}
