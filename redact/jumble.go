package redact

// pairs tells which letters often follow each in the words of names in code: 85 % of the pairs in the words of Go's
// standard library; of random letters four in ten are among them.
var pairs = func() (t [26]uint32) {
	for a, after := range [26]string{"abcdefgiklmnprstuvxy", "abcdefilorsu", "abcdefhiklmorstu",
		"abcdefiloprsu", "abcdefgilmnpqrstvwx", "acdefilorsu",
		"acehilnors", "aeiort", "abcdefglmnoprstvz", "", "eis", "adefilostuy", "abeimopsu", "acdefgiklnostuv",
		"abcdfgilmnoprstuvw",
		"acehiloprstu", "u", "acdefgiklmnoprstuy", "acehilmoprstuy", "acdefhilmoprstuy", "abcefilmnprst",
		"aceisv", "aeio", "abcefpstvx", "mps", "e"} {
		for i := range len(after) {
			t[a] |= 1 << (after[i] - 'a')
		}
	}
	return t
}()

// jumbled says that a value's letters aren't those of words: under seven in ten of its pairs are usual, as of 93 of 100
// random values of twenty letters and digits, and 3 of 1,000 names in code.
func jumbled(v string) bool {
	usual, all := 0, 0
	for i := 1; i < len(v); i++ {
		a, b := v[i-1], v[i]
		if !is(a, letter) || !is(b, letter) || is(a, lower) && is(b, upper) {
			continue
		}
		all++
		if pairs[a|0x20-'a']>>(b|0x20-'a')&1 != 0 {
			usual++
		}
	}
	return all >= 4 && usual*10 < all*7
}
