// SPDX-License-Identifier: Apache-2.0
// settings_texts VALUES COUNT SEED: generates COUNT texts as values of settings and writes each with its meaning to
// standard output, for SettingsAgreement.java, which describes the format. VALUES is settings/values.txt.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/io/file.h"
#include "base/text/text.h"
#include "settings/settings.h"

namespace sparkprof {
namespace {

using namespace std::string_view_literals;

// Pieces of the grammar, and texts similar to them.
constexpr std::string_view kPieces[] = {"0",
                                        "1",
                                        "5",
                                        "10",
                                        "50",
                                        "99",
                                        "007",
                                        "100",
                                        "1024",
                                        "9223372036854775807",
                                        "9223372036854775808",
                                        "1000000000000",
                                        "ns",
                                        "us",
                                        "ms",
                                        "s",
                                        "m",
                                        "min",
                                        "h",
                                        "d",
                                        "MS",
                                        "S",
                                        "H",
                                        "k",
                                        "kb",
                                        "KiB",
                                        "m",
                                        "MiB",
                                        "g",
                                        "gb",
                                        "t",
                                        "TIB",
                                        "b",
                                        ".",
                                        ",",
                                        "..",
                                        "+",
                                        "-",
                                        "_",
                                        "'",
                                        "e3",
                                        "0x",
                                        "f",
                                        "NaN",
                                        "Infinity",
                                        "%",
                                        "%20",
                                        "%zz",
                                        "/",
                                        "//",
                                        ":",
                                        "?",
                                        "#",
                                        " ",
                                        "  ",
                                        "\t",
                                        "\n",
                                        "\r",
                                        "\f",
                                        "\v",
                                        "\0"sv,
                                        "\x01",
                                        "\x1f",
                                        "\x7f",
                                        "\xC2\xA0",
                                        "\xE2\x80\x83",
                                        "\xEF\xBB\xBF",
                                        "\xE2\x84\xAA",
                                        "\xC5\xBF",
                                        "\xC4\xB0",
                                        "\xC4\xB1",
                                        "\xC2\xB5s",
                                        "\xCE\xBCs",
                                        "\xD9\xA1",
                                        "\xEF\xBC\x91",
                                        "\xF0\x9D\x9F\x8F",
                                        "true",
                                        "false",
                                        "TRUE",
                                        "yes",
                                        "cpu",
                                        "wall",
                                        "alloc",
                                        "lock",
                                        "CPU",
                                        "heap",
                                        "auto",
                                        "direct",
                                        "hadoop",
                                        "driver",
                                        "hdfs:",
                                        "file:",
                                        "s3a://",
                                        "C:",
                                        "a_b:",
                                        "\\",
                                        "\"",
                                        "largest"};

class Generator {
 public:
  Generator(std::map<SettingKind, std::vector<std::string>> seeds, uint64_t seed)
      : seeds_(std::move(seeds)), random_(seed) {}

  std::string Text(SettingKind kind) {
    std::string text = Below(3) > 0 ? Seed(kind) : Pieces();
    for (size_t changes = Below(4); changes > 0; --changes) Change(text);
    // The plugin gets nothing but text.
    return ToUtf8(text);
  }

  size_t Below(size_t end) { return static_cast<size_t>(random_() % end); }

 private:
  // A case of the same kind of setting, mostly.
  const std::string& Seed(SettingKind kind) {
    const auto own =
        Below(4) > 0 ? seeds_.find(kind) : std::next(seeds_.begin(), static_cast<int>(Below(seeds_.size())));
    return own->second[Below(own->second.size())];
  }

  std::string Pieces() {
    std::string text;
    for (size_t count = 1 + Below(4); count > 0; --count) text += Piece();
    return text;
  }

  std::string Piece() {
    if (Below(4) > 0) return std::string(kPieces[Below(std::size(kPieces))]);
    // Numbers of every length: the borders of 63 bits are among them.
    return std::to_string(random_() >> Below(64));
  }

  void Change(std::string& text) {
    const size_t at = Below(text.size() + 1);
    switch (Below(5)) {
      case 0:
        text.insert(at, Piece());
        break;
      case 1:
        text.insert(at, 1, static_cast<char>(Below(256)));
        break;
      case 2:
        text.erase(at, 1 + Below(3));
        break;
      case 3:
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << Below(8)));
        break;
      default:
        text.insert(at, text.substr(Below(text.size() + 1), 1 + Below(4)));
    }
  }

  std::map<SettingKind, std::vector<std::string>> seeds_;
  std::mt19937_64 random_;
};

void Write(std::string_view text) {
  const uint32_t size = static_cast<uint32_t>(text.size());
  for (int shift = 24; shift >= 0; shift -= 8) std::putchar(static_cast<int>(size >> shift & 0xFF));
  std::fwrite(text.data(), 1, text.size(), stdout);
}

void WriteRecord(std::string_view key, std::string_view text, std::string_view meaning) {
  for (const std::string_view cell : {key, text, meaning}) Write(cell);
}

int Main(const std::string& values, int64_t count, uint64_t seed) {
  const Result<std::string> cases = ReadFile(values);
  if (!cases) {
    std::fprintf(stderr, "%s\n", cases.error().message.c_str());
    return 1;
  }
  std::map<SettingKind, std::vector<std::string>> seeds;
  for (const std::string_view line : Split(*cases, '\n')) {
    const std::vector<std::string_view> cells = Split(line, '\t');
    const Setting* const setting = cells.size() == 3 ? SettingByKey(cells[0]) : nullptr;
    if (setting != nullptr) seeds[setting->kind].emplace_back(cells[1]);
  }
  Generator generator(std::move(seeds), seed);
  const std::vector<Setting>& settings = AllSettings();
  for (int64_t i = 0; i < count; ++i) {
    const Setting& setting = settings[generator.Below(settings.size())];
    const std::string text = generator.Text(setting.kind);
    const Result<std::string> value = ReadSetting(setting, text);
    WriteRecord(setting.key, text, value ? *value : "refused: " + value.error().message);
  }
  WriteRecord("end", std::to_string(count), "");
  return std::fflush(stdout) == 0 ? 0 : 1;
}

}  // namespace
}  // namespace sparkprof

int main(int argument_count, char** arguments) {
  const auto count = argument_count == 4 ? sparkprof::ParseInteger(arguments[2]) : std::nullopt;
  const auto seed = argument_count == 4 ? sparkprof::ParseInteger(arguments[3]) : std::nullopt;
  if (!count || !seed) {
    std::fprintf(stderr, "usage: settings_texts VALUES COUNT SEED\n");
    return 2;
  }
  return sparkprof::Main(arguments[1], *count, static_cast<uint64_t>(*seed));
}
