package main

import (
	"embed"
	"strings"
	"text/template"
)

//go:embed *.tmpl
var offers embed.FS

// offer is what a package manager installs by: recall.rb is Homebrew's, recall.json
// Scoop's.
func (b *build) offer(name string) (string, error) {
	t, err := template.New(name+".tmpl").Funcs(template.FuncMap{
		"version": func() string { return b.version },
		"base":    func() string { return b.baseURL },
		"url":     func(system, processor string) string { return b.baseURL + "/" + b.archive(system, processor) },
		"sum":     func(system, processor string) string { return b.sums[b.archive(system, processor)] },
		"folder":  b.folder,
	}).ParseFS(offers, name+".tmpl")
	if err != nil {
		return "", err
	}
	var s strings.Builder
	err = t.Execute(&s, nil)
	return s.String(), err
}
