// SPDX-License-Identifier: Apache-2.0
#include "settings/settings.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "base/io/file.h"
#include "base/testing/source_file.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

TEST(SettingsTest, EveryDefaultIsAValue) {
  ASSERT_GT(AllSettings().size(), 10u);
  std::set<std::string_view> keys;
  for (const Setting& setting : AllSettings()) {
    EXPECT_TRUE(keys.insert(setting.key).second) << setting.key;
    EXPECT_TRUE(setting.standard.empty() || ReadSetting(setting, setting.standard)) << setting.key;
    EXPECT_FALSE(setting.meaning.empty()) << setting.key;
  }
}

// In a case's text "\t" is a tab, "\n" a line end, "\\" a backslash, "\0" NUL.
std::string Unfold(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '\\' && i + 1 < text.size();
    const char c = escape ? text[++i] : text[i];
    out += !escape ? c : c == 't' ? '\t' : c == 'n' ? '\n' : c == '0' ? '\0' : c;
  }
  return out;
}

TEST(SettingsTest, TextsMeanWhatTheFileOfCasesSays) {
  const std::string cases = ReadFile(SourceFile("settings/values.txt")).value();
  int count = 0;
  for (const std::string_view line : Split(cases, '\n')) {
    if (line.empty() || line.starts_with('#')) continue;
    SCOPED_TRACE(line);
    const std::vector<std::string_view> cells = Split(line, '\t');
    ASSERT_EQ(cells.size(), 3u);
    const Setting* const setting = SettingByKey(cells[0]);
    ASSERT_NE(setting, nullptr);
    const Result<std::string> value = ReadSetting(*setting, Unfold(cells[1]));
    const std::string meaning = value ? *value : "refused: " + value.error().message;
    if (cells[2] == "refused") {
      EXPECT_FALSE(value) << meaning;
    } else {
      EXPECT_EQ(meaning, cells[2]);
    }
    ++count;
  }
  EXPECT_GT(count, 100);
}

TEST(SettingsTest, EnvironmentNamesFollowTheKeys) {
  EXPECT_EQ(EnvironmentName("cpu.interval"), "SPARKPROF_CPU_INTERVAL");
  EXPECT_EQ(EnvironmentName("maxSpool"), "SPARKPROF_MAX_SPOOL");
}

TEST(SettingsTest, AMisspelledKeyIsNearTheOneThatWasMeant) {
  EXPECT_EQ(NearestSettingKey("cpu.intervall"), "cpu.interval");
  EXPECT_EQ(NearestSettingKey("event"), "events");
  EXPECT_EQ(NearestSettingKey("maxspool"), "maxSpool");
  EXPECT_EQ(NearestSettingKey("color"), "");
  EXPECT_EQ(NearestSettingKey(""), "");
}

TEST(SettingsTest, AMisspelledVariableIsNearTheOneThatWasMeant) {
  EXPECT_EQ(MisspelledVariable("SPARKPROF_MAXSPOOL"), "SPARKPROF_MAX_SPOOL");
  EXPECT_EQ(MisspelledVariable("SPARKPROF_EVENT"), "SPARKPROF_EVENTS");
  for (const char* name : {"SPARKPROF_EVENTS", "SPARKPROF_BIN", "SPARKPROF_API", "PATH", ""}) {
    EXPECT_EQ(MisspelledVariable(name), "") << name;
  }
}

TEST(SettingsTest, TheDocumentedTableIsThisOne) {
  const std::string page = ReadFile(SourceFile("docs/settings.md")).value();
  std::string table =
      "| key after `spark.sparkprof.` | default | allowed | option of `run` | central | meaning "
      "|\n|---|---|---|---|---|---|\n";
  const auto code = [](std::string_view text) { return text.empty() ? std::string() : fmt::format("`{}`", text); };
  for (const Setting& setting : AllSettings()) {
    table += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", setting.key, code(setting.standard),
                         code(setting.allowed), code(setting.option), setting.is_central ? "yes" : "", setting.meaning);
  }
  EXPECT_NE(page.find(table), std::string::npos) << "docs/settings.md must hold this table:\n" << table;
}

}  // namespace
}  // namespace sparkprof
