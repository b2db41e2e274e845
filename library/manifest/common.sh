
here=$(cd -P -- "$(dirname -- "$0")" && pwd -P) || exit 2
root=${SCRIPT_ROOT-} # a folder to work in instead of /
top=$(cd -P -- "${root:-/}" && pwd -P) || exit 2
[ "$top" = / ] && top=
log=$here/$log_name
if [ -L "$log" ] || [ -e "$log" ] && [ ! -f "$log" ]; then
	echo "$log is not a plain file: not used" >&2
	exit 2
fi
packages_name=recall-packages.txt # what a virtual environment had, in its folder among the copies
trouble=0
cd / || exit 2 # python3 takes modules from the folder that it runs in

shown() { printf '%s' "$1" | tr '\001-\037\177' '?'; }
say() { printf '%s\n' "$1"; }
note() {
	printf '%s %s %s\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$1" "$(shown "$2")" >>"$log" || {
		echo "the log can't be written: $log" >&2
		exit 2
	}
}

# sum prints the SHA-256 of its input.
sum() {
	if command -v sha256sum >/dev/null 2>&1; then
		sha256sum
	elif command -v shasum >/dev/null 2>&1; then
		shasum -a 256
	else
		openssl dgst -sha256 -r
	fi | {
		read -r got rest
		printf '%s' "$got"
	}
}
hash() { [ -f "$1" ] && sum <"$1"; }

# real prints a folder's path with all links resolved, and an x.
real() { (cd -P -- "$1" 2>/dev/null && pwd -P && printf x); }

admin() {
	if [ "$(id -u)" = 0 ] || ! command -v sudo >/dev/null 2>&1; then
		"$@"
	else
		sudo "$@"
	fi
}
