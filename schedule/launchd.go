package schedule

import "strings"

// Label is a job's name with launchd.
func Label(j Job) string { return "recall." + j.Name }

// Agents are a property list for each job, for ~/Library/LaunchAgents
// (launchd.plist(5)).
func Agents(p Plan) []File {
	type variable struct{ Name, Value string }
	var env []variable
	for _, e := range p.Env {
		name, value, _ := strings.Cut(e, "=")
		env = append(env, variable{name, value})
	}
	var files []File
	for _, j := range Jobs {
		files = append(files, File{Label(j) + ".plist", filled{p, j, p.Command(Launchd, j), env}.in("plist")})
	}
	return files
}
