package terminal

import (
	"reflect"
	"strings"
)

// Presentable is a copy of a document as it may be printed: lists are there, perhaps
// empty, and fields tagged show:"path" are as ShownPath has them.
func Presentable(v reflect.Value, path bool) reflect.Value {
	switch v.Kind() {
	case reflect.String:
		if path {
			shown := reflect.New(v.Type()).Elem()
			shown.SetString(ShownPath(v.String()))
			return shown
		}
	case reflect.Pointer:
		if !v.IsNil() {
			c := reflect.New(v.Type().Elem())
			c.Elem().Set(Presentable(v.Elem(), path))
			return c
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return v
		}
		c := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			c.Index(i).Set(Presentable(v.Index(i), path))
		}
		return c
	case reflect.Struct:
		c := reflect.New(v.Type()).Elem()
		c.Set(v)
		for i := range v.NumField() {
			f := v.Type().Field(i)
			omitted := v.Field(i).IsZero() && strings.Contains(f.Tag.Get("json"), ",omit")
			if f.IsExported() && !omitted {
				c.Field(i).Set(Presentable(v.Field(i), f.Tag.Get("show") == "path"))
			}
		}
		return c
	}
	return v
}
