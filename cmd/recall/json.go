package main

import (
	"encoding/json"
	"io"
	"reflect"
	"strings"

	"recall/sink"
)

// printJSON prints a value for programs.
func (a *app) printJSON(v any) error {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(presentable(reflect.ValueOf(v), false).Interface()); err != nil {
		return err
	}
	return a.writeJSON(b.String())
}

// writeJSON prints a document that is JSON already.
func (a *app) writeJSON(doc string) error {
	_, err := io.WriteString(a.out, sink.Text(doc, sink.JSON))
	return err
}

// presentable is a copy of a document as it may be printed: lists are there, perhaps
// empty, and fields tagged show:"path" are as shownPath has them.
func presentable(v reflect.Value, path bool) reflect.Value {
	switch v.Kind() {
	case reflect.String:
		if path {
			shown := reflect.New(v.Type()).Elem()
			shown.SetString(shownPath(v.String()))
			return shown
		}
	case reflect.Pointer:
		if !v.IsNil() {
			c := reflect.New(v.Type().Elem())
			c.Elem().Set(presentable(v.Elem(), path))
			return c
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return v
		}
		c := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			c.Index(i).Set(presentable(v.Index(i), path))
		}
		return c
	case reflect.Struct:
		c := reflect.New(v.Type()).Elem()
		c.Set(v)
		for i := range v.NumField() {
			f := v.Type().Field(i)
			omitted := v.Field(i).IsZero() && strings.Contains(f.Tag.Get("json"), ",omit")
			if f.IsExported() && !omitted {
				c.Field(i).Set(presentable(v.Field(i), f.Tag.Get("show") == "path"))
			}
		}
		return c
	}
	return v
}
