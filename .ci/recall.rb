class Recall < Formula
  desc "Memory for AI coding work: what was decided, with evidence"
  homepage "@base@"
  version "@version@"

  on_macos do
    on_arm do
      url "@url darwin-arm64@"
      sha256 "@sum darwin-arm64@"
    end
    on_intel do
      url "@url darwin-amd64@"
      sha256 "@sum darwin-amd64@"
    end
  end

  on_linux do
    on_arm do
      url "@url linux-arm64@"
      sha256 "@sum linux-arm64@"
    end
    on_intel do
      url "@url linux-amd64@"
      sha256 "@sum linux-amd64@"
    end
  end

  def install
    bin.install "recall"
    man1.install Dir["man/man1/*.1"]
    bash_completion.install "completions/recall.bash" => "recall"
    zsh_completion.install "completions/_recall"
    fish_completion.install "completions/recall.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/recall version")
  end
end
