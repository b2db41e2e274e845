@echo off
rem The same for the MCP server on Windows, which starts no shell scripts.
for %%t in ("%USERPROFILE%\go\bin\recall.exe" "%LOCALAPPDATA%\Programs\recall\recall.exe") do if exist %%t (
  %%t %*
  exit /b
)
rem Not one that lies in the folder this is started in, a repository that was cloned.
set NoDefaultCurrentDirectoryInExePath=1
recall.exe %*
