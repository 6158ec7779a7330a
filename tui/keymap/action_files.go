package keymap

// The actions about the file and its versions.
const (
	SaveAs          Action = "save as"
	SavePath        Action = "save under this name"
	CompletePath    Action = "complete the path"
	LeavePath       Action = "leave the name"
	AnswerTheirs    Action = "answer: theirs"
	AnswerCompare   Action = "answer: compare"
	AnswerRestore   Action = "answer: restore"
	AnswerWrite     Action = "answer: write"
	AnswerSaveAs    Action = "answer: save as"
	AnswerOverwrite Action = "answer: overwrite"
	AnswerYes       Action = "answer: yes"
	AnswerNo        Action = "answer: no"
	ViewText        Action = "view text"
	TextDown        Action = "text down"
	TextUp          Action = "text up"
	TextPageDown    Action = "text page down"
	TextPageUp      Action = "text page up"
	TextFirst       Action = "text first"
	TextLast        Action = "text last"
	CloseText       Action = "close text"
	CompareDown     Action = "compare down"
	CompareUp       Action = "compare up"
	ComparePageDown Action = "compare page down"
	ComparePageUp   Action = "compare page up"
)
