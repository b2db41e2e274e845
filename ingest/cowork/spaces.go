package cowork

import (
	"recall/ingest"
	"recall/ingest/jsonl"
)

const spacesMax = 16 << 20

// spaceName looks a space up in spaces.json: a list of spaces, or an object
// that has it under "spaces", or one that has them by id. "" if it isn't there.
func spaceName(files []ingest.File, id string) string {
	f, ok := fileOf(files, SpacesFile)
	if !ok || id == "" {
		return ""
	}
	b, _, err := f.Head(spacesMax)
	if err != nil {
		return "" // the session is as good without the name
	}
	name := ""
	c := jsonl.NewCursor(b)
	if c.Kind() == '[' {
		c.Array(func() { spaceIn(c, "", id, &name) })
		return name
	}
	c.Object(func(key []byte) {
		if c.Kind() == '[' {
			c.Array(func() { spaceIn(c, "", id, &name) })
			return
		}
		if k := jsonl.Unquote(key); k != "spaces" {
			spaceIn(c, k, id, &name)
			return
		}
		c.Object(func(key []byte) { spaceIn(c, jsonl.Unquote(key), id, &name) })
	})
	return name
}

// spaceIn reads one space, known by its own id or the key it stands under.
func spaceIn(c *jsonl.Cursor, key, id string, name *string) {
	var own, called string
	c.Fields(jsonl.Fields{"id": &own, "uuid": &own, "spaceId": &own, "name": &called, "title": &called})
	if called != "" && (own == id || own == "" && key == id) {
		*name = called
	}
}
