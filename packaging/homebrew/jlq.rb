# The formula of a release: VERSION and SHA256 are those of its source archive,
# HOMEPAGE is where the module lives.
class Jlq < Formula
  desc "Log whose files people can read, and the command that reads it"
  homepage "https://HOMEPAGE"
  url "https://HOMEPAGE/archive/refs/tags/vVERSION.tar.gz"
  sha256 "SHA256"
  license "Apache-2.0"
  head "https://HOMEPAGE.git", branch: "main"

  depends_on "go" => :build

  def install
    ENV["CGO_ENABLED"] = "0"
    system "go", "build", *std_go_args(ldflags: "-s -w -X main.release=v#{version}"), "-trimpath", "-tags", "jlq_nosonic", "./cmd/jlq"
    generate_completions_from_executable(bin/"jlq", "completion")
    system bin/"jlq", "man", "--dir", man1
  end

  test do
    pipe_output("#{bin}/jlq append demo", "{\"hello\":\"world\"}\n", 0)
    assert_equal "{\"hello\":\"world\"}\n", shell_output("#{bin}/jlq get demo 0")
    assert_match "verified", shell_output("#{bin}/jlq verify demo 2>&1")
  end
end
