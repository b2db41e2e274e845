@echo off
rem The same for the MCP server on Windows, which starts no shell scripts.
for %%t in ("%USERPROFILE%\go\bin\recall.exe" "%LOCALAPPDATA%\Programs\recall\recall.exe") do if exist %%t (
  %%t %*
  exit /b
)
recall.exe %*
