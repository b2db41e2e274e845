package library

// What tests of the package look at from inside.
var (
	SessionFile = sessionFile
	FolderName  = folderName
	Readme      = readme
	EntryText   = Entry.encode
	FinishEntry = (*Entry).finish
	AnswerPath  = (*Library).answerPath
	Acquire     = (*Library).Acquire
)

const (
	MaxFolder   = maxFolder
	JournalTail = journalTail
)
