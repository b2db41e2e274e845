package openai

import (
	"bytes"
	"encoding/json"
	"slices"
)

// strict is a schema as strict mode takes it, where every key of an object is
// required: one that may be left out may be null instead. The order of keys stays, as
// models answer in it. What isn't an object stays as it is.
func strict(schema json.RawMessage) json.RawMessage {
	members, ok := membersOf(schema)
	if !ok {
		return schema
	}
	required := map[string]bool{}
	for _, m := range members {
		var names []string
		if m.key == "required" && json.Unmarshal(m.value, &names) == nil {
			for _, name := range names {
				required[name] = true
			}
		}
	}
	for i, m := range members {
		switch m.key {
		case "items":
			members[i].value = strict(m.value)
		case "properties":
			properties, _ := membersOf(m.value)
			names := make([]string, len(properties))
			for k, p := range properties {
				names[k] = p.key
				if properties[k].value = strict(p.value); !required[p.key] {
					properties[k].value = orNull(properties[k].value)
				}
			}
			members[i].value = object(properties)
			if at := slices.IndexFunc(members, func(m member) bool { return m.key == "required" }); at >= 0 {
				members[at].value, _ = json.Marshal(names)
			}
		}
	}
	return object(members)
}

// orNull is a schema that takes null, too.
func orNull(schema json.RawMessage) json.RawMessage {
	members, _ := membersOf(schema)
	for i, m := range members {
		switch m.key {
		case "type":
			members[i].value = slices.Concat(json.RawMessage("["), m.value, json.RawMessage(`,"null"]`))
		case "enum":
			members[i].value = append(bytes.TrimSuffix(bytes.TrimSpace(m.value), []byte("]")), ",null]"...)
		}
	}
	return object(members)
}

// A member is a key of a JSON object with its value.
type member struct {
	key   string
	value json.RawMessage
}

// membersOf are an object's members in their order.
func membersOf(text json.RawMessage) (members []member, ok bool) {
	d := json.NewDecoder(bytes.NewReader(text))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, false
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, false
		}
		m := member{key: key.(string)}
		if d.Decode(&m.value) != nil {
			return nil, false
		}
		members = append(members, m)
	}
	return members, true
}

func object(members []member) json.RawMessage {
	var b bytes.Buffer
	for i, m := range members {
		key, _ := json.Marshal(m.key)
		b.WriteByte("{,"[min(i, 1)])
		b.Write(key)
		b.WriteByte(':')
		b.Write(m.value)
	}
	b.WriteByte('}')
	return b.Bytes()
}
