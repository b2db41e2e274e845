@echo off
rem The same for the MCP server on Windows, where clients run no shell scripts.
for %%t in ("%USERPROFILE%\go\bin\recall.exe" "%LOCALAPPDATA%\Programs\recall\recall.exe") do if exist %%t (
  %%t %*
  exit /b
)
rem Never a recall.exe in the current folder, which may be a cloned repository.
set NoDefaultCurrentDirectoryInExePath=1
recall.exe %*
