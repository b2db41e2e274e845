package trace

import (
	"path"
	"slices"
	"strings"
)

// settle says of each command in which folder it ran and what the line's
// success says of it.
func settle(all []lexed, dir string) []command {
	all = slices.DeleteFunc(all, func(l lexed) bool {
		return len(l.words)+len(l.files) == 0 &&
			strings.Trim(l.end, ";") == ""
	})
	sure := successes(all)
	var out []command
	var outer []string // folders to go back to when a subshell ends
	chain := false
	for i, l := range all {
		c := l.command
		c.words = unwrap(c.words)
		c.dir, c.sure = dir, sure[i]
		c.chain, c.pipe = chain, i > 0 && all[i-1].end == "|"
		if c.program() == "cd" && l.end != "|" {
			dir = into(dir, c.args())
		}
		if len(c.words)+len(c.files) > 0 {
			out = append(out, c)
		}
		switch l.end {
		case "(":
			outer = append(outer, dir)
		case ")":
			if n := len(outer); n > 0 {
				dir, outer = outer[n-1], outer[:n-1]
			}
		}
		chain = l.end == "&&"
	}
	return out
}

// successes tells which commands have succeeded if the line did: the last one,
// and those joined to it by && alone. Of a pipe that is its last; what stands
// in a loop or a condition may never have run.
func successes(all []lexed) []bool {
	sure := make([]bool, len(all))
	next := true // of the pipe that follows
	for i := len(all) - 1; i >= 0; i-- {
		last := i == len(all)-1
		switch all[i].end {
		case "|", "||", "&":
		case "&&", "(":
			sure[i] = next
		case ")":
			sure[i] = last || sure[i+1]
		default:
			sure[i] = last
		}
		sure[i] = sure[i] && all[i].block == 0
		if i == 0 || all[i-1].end != "|" {
			next = pipeSure(all, sure, i)
		}
	}
	return sure
}

func pipeSure(all []lexed, sure []bool, i int) bool {
	for i < len(all)-1 && all[i].end == "|" {
		i++
	}
	return sure[i]
}

// wrappers run the command that follows them; the number is how many
// arguments of their own they take.
var wrappers = map[string]int{"sudo": 0, "time": 0, "nice": 0, "nohup": 0, "env": 0, "exec": 0, "command": 0,
	"timeout": 1, "stdbuf": 0, "builtin": 0, "doas": 0}

// unwrap takes sudo, env and their like off a command.
func unwrap(words []word) []word {
	for len(words) > 1 {
		own, ok := wrappers[path.Base(words[0].text)]
		if !ok || !words[0].plain {
			return words
		}
		words = words[1:]
		for len(words) > 1 && (strings.HasPrefix(words[0].text, "-") || isAssignment(words[0].text)) {
			words = words[1:]
		}
		words = words[min(own, len(words)-1):]
	}
	return words
}

// into is the folder after a cd.
func into(dir string, args []string) string {
	args = slices.DeleteFunc(slices.Clone(args), func(a string) bool { return a == "--" || a == "-P" || a == "-L" })
	if len(args) != 1 || args[0] == UnknownArg || args[0] == "-" {
		return ""
	}
	return Absolute(dir, args[0])
}

// Absolute is a path as seen from a folder, "" if that folder isn't known and
// the path needs it. "~" is the home that the folder lies in.
func Absolute(dir, p string) string {
	switch {
	case p == "" || strings.ContainsRune(p, 0):
		return ""
	case p == "~" || strings.HasPrefix(p, "~/"):
		if home := homeOf(dir); home != "" {
			return path.Join(home, p[1:])
		}
		return path.Clean(p)
	case strings.HasPrefix(p, "/"):
		return path.Clean(p)
	case len(p) > 2 && p[1] == ':' && (p[2] == '\\' || p[2] == '/'), strings.HasPrefix(p, `\\`):
		return p // of Windows
	case dir == "":
		return ""
	case len(dir) > 2 && dir[1] == ':' || strings.HasPrefix(dir, `\\`):
		return strings.TrimRight(dir, `\/`) + `\` + strings.ReplaceAll(strings.TrimPrefix(p, "./"), "/", `\`)
	}
	return path.Join(dir, p)
}

// homeOf tells the home that a folder lies in by where systems put homes.
func homeOf(dir string) string {
	parts := strings.SplitN(dir, "/", 4)
	switch {
	case len(parts) < 2 || parts[0] != "":
		return ""
	case parts[1] == "root":
		return "/root"
	case len(parts) > 2 && (parts[1] == "home" || parts[1] == "Users" || parts[1] == "sessions"):
		return "/" + parts[1] + "/" + parts[2]
	}
	return ""
}
