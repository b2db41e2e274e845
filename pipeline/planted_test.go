package pipeline_test

import (
	"fmt"
	"math/rand/v2"

	"recall/internal/redact/plantedtest"
)

// secretTalks are sessions in which secrets stand everywhere that something can
// stand, n in all.
func secretTalks(sessions, n int) (talks []talk, secrets []string) {
	r := rand.New(rand.NewPCG(1, 2))
	kinds, kind := plantedtest.Kinds(), 0
	next := func() string {
		if kind >= n {
			return ""
		}
		text, drawn := kinds[kind%len(kinds)].Draw(r)
		kind++
		secrets = append(secrets, drawn...)
		return text
	}
	for i := range sessions {
		k := talk{id: fmt.Sprintf("%08x-0000-4000-8000-000000000001", 0xa0000000+i), start: day.AddDate(0, 0, i)}
		for turn := range 6 {
			user := fmt.Sprintf("Let's go with variant %d of module %d for the importer instead of the old one, "+
				"because it is simpler to test.", turn, i)
			reply := fmt.Sprintf("Variant %d is in place in importer_%d.go, and the tests pass.", turn, i)
			for range (n + sessions*12 - 1) / (sessions * 12) {
				user += "\nThe config has " + next() + " in it."
				reply += "\nI saw this in the log:\n\n    " + next() + "\n"
			}
			k.said = append(k.said, user, reply)
		}
		talks = append(talks, k)
	}
	return talks, secrets
}
