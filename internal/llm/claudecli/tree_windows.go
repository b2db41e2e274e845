package claudecli

import (
	"os/exec"
	"unsafe"

	"golang.org/x/sys/windows"
)

// tree is a process with everything it started: a job, which also ends with recall.
type tree struct{ job windows.Handle }

// start starts a command as a tree that is killed when its context ends.
func start(cmd *exec.Cmd) (tree, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return tree{}, err
	}
	t := tree{job}
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{
		LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE}}
	if _, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info))); err != nil {
		windows.CloseHandle(job)
		return tree{}, err
	}
	cmd.Cancel = func() error { return windows.TerminateJobObject(job, 1) }
	if err := cmd.Start(); err != nil {
		windows.CloseHandle(job)
		return tree{}, err
	}
	held := false
	err = cmd.Process.WithHandle(func(h uintptr) {
		held = windows.AssignProcessToJobObject(job, windows.Handle(h)) == nil
	})
	if err != nil || !held {
		cmd.Process.Kill() // without the job it couldn't be cleaned up
	}
	return t, nil
}

// kill kills what remains of the tree after its first process has ended.
func (t tree) kill() {
	windows.TerminateJobObject(t.job, 1)
	windows.CloseHandle(t.job)
}
