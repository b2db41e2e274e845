package trace

// A Step is one command of a shell call, as its line was read.
type Step struct {
	Program string   // without its folder; "" if only the shell knew
	Args    []string // UnknownArg stands for those that only the shell knew
	Dir     string   // folder that it ran in, "" if unknown
	Here    string   // text of its here-document, if that is whole
	HasHere bool
	Out     []string // files that its output went to, as written there; "" for those only the shell knew
	Piped   bool     // it read what the step before it wrote
	Touches []Touch
}

// Steps are the commands of a shell call, in order.
func (a *Action) Steps() []Step {
	var out []Step
	for i := range a.commands {
		c := &a.commands[i]
		s := Step{Program: c.program(), Args: c.args(), Dir: c.dir, Piped: c.pipe, Touches: c.touches()}
		if c.here {
			s.Here, s.HasHere = c.text, true
		}
		for _, f := range c.files {
			switch {
			case f.op == "<":
			case f.to.plain:
				s.Out = append(s.Out, Absolute(c.dir, f.to.text))
			default:
				s.Out = append(s.Out, "")
			}
		}
		out = append(out, s)
	}
	return out
}
