package schedule

import (
	"encoding/xml"
	"fmt"
	"strings"
)

// Label is a job's name with launchd.
func Label(j Job) string { return "recall." + j.Name }

// Agents are a property list for each job, for ~/Library/LaunchAgents
// (launchd.plist(5)).
func Agents(p Plan) []File {
	var files []File
	for _, j := range Jobs {
		files = append(files, File{Label(j) + ".plist", agent(p, j)})
	}
	return files
}

func agent(p Plan, j Job) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line(`<?xml version="1.0" encoding="UTF-8"?>`)
	line(`<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">`)
	line("<!-- %s -->", Mark)
	line(`<plist version="1.0">`)
	line("<dict>")
	line("\t<key>Label</key><string>%s</string>", escape(Label(j)))
	line("\t<key>ProgramArguments</key>\n\t<array>")
	for _, a := range p.Command(Launchd, j) {
		line("\t\t<string>%s</string>", escape(a))
	}
	line("\t</array>")
	if len(p.Env) > 0 {
		line("\t<key>EnvironmentVariables</key>\n\t<dict>")
		for _, e := range p.Env {
			name, value, _ := strings.Cut(e, "=")
			line("\t\t<key>%s</key><string>%s</string>", escape(name), escape(value))
		}
		line("\t</dict>")
	}
	if j.Every > 0 {
		line("\t<key>StartInterval</key><integer>%d</integer>", j.Every*60)
	} else {
		line("\t<key>StartCalendarInterval</key>\n\t<dict>\n\t\t<key>Hour</key><integer>%d</integer>\n\t\t<key>Minute</key><integer>%d</integer>\n\t</dict>", p.At.Hour, p.At.Minute)
	}
	line("\t<key>ProcessType</key><string>Background</string>")
	line("\t<key>LowPriorityIO</key><true/>")
	line("\t<key>Nice</key><integer>10</integer>")
	line("</dict>\n</plist>")
	return b.String()
}

func escape(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a Builder doesn't fail
	return b.String()
}
