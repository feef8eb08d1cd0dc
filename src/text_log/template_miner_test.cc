// SPDX-License-Identifier: Apache-2.0
#include "text_log/template_miner.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/io/byte_source.h"
#include "base/io/compression.h"
#include "base/testing/source_file.h"
#include "text_log/log_reader.h"
#include "text_log/message_mask.h"

namespace sparkprof {
namespace {

std::string Mask(std::string_view message) {
  std::string masked;
  MaskMessage(message, &masked);
  return masked;
}

TEST(MessageMaskTest, ParametersBecomeWildcards) {
  const std::pair<const char*, const char*> examples[] = {
      {"Read 12 rows in 34 ms", "Read <*> rows in <*>"},
      {"free 366.3 MB of 2.0 GiB", "free <*> of <*>"},
      {"Found rdd_42_20 and broadcast_9_piece0", "Found <*> and <*>"},
      {"Saved to hdfs://namenode:8020/user/me/out", "Saved to <*>"},
      {"Connecting to 10.0.0.1:4040 or worker-7.example.com", "Connecting to <*> or <*>"},
      {"Loading 'model name' now", "Loading <*> now"},
      {"Don't stop, it isn't done", "Don't stop, it isn't done"},
      {"values [1, 2, 3]", "values [<*>]"},
      {"Id List(Stage 1, Stage 2) end", "Id List(<*>) end"},
      {"at 0x7f5a88f44000 in class org.example.Job", "at <*> in class <*>"},
      {"Using log4j and UTF-8 over HTTP/1.1", "Using log4j and UTF-8 over HTTP/1.1"},
      {"is application_1603128018386_7846 there", "is <*> there"},
      {"cannot reach alice@example.com", "cannot reach <*>"},
      {"Pool@facade at pc=cafebabe, an effaced add", "<*> at pc=<*>, an effaced add"},
      {"a (", "a ("},
      {"", ""},
  };
  for (const auto& [message, masked] : examples) EXPECT_EQ(Mask(message), masked);
}

TEST(TemplateMinerTest, MessagesThatDifferInAWordOfUserCodeShareATemplate) {
  TemplateMiner miner;
  const uint32_t id = miner.Add("Loading model for customer alice from cache", LogLevel::kInfo, 1);
  EXPECT_EQ(miner.Add("Loading model for customer bob from cache", LogLevel::kWarn, 3), id);
  EXPECT_NE(miner.Add("Dropping model of customer bob", LogLevel::kInfo, 2), id);
  const std::vector<TemplateMiner::Template> templates = miner.Templates();
  ASSERT_EQ(templates.size(), 2u);
  EXPECT_EQ(templates[0].values.text, "Loading model for customer <*> from cache");
  EXPECT_EQ(templates[0].values.count, 2);
  EXPECT_EQ(templates[0].values.first_ns, 1);
  EXPECT_EQ(templates[0].values.last_ns, 3);
  EXPECT_EQ(templates[0].values.levels[static_cast<size_t>(LogLevel::kWarn)], 1);
}

TEST(TemplateMinerTest, MemoryIsBoundedAndWhatIsDroppedIsCounted) {
  TemplateMiner miner({.max_templates = 100});
  std::set<uint32_t> ids;
  for (int i = 0; i < 1000; ++i) {
    std::string word;
    for (int n = i; n > 0; n /= 20) word += static_cast<char>('a' + n % 20);
    ids.insert(miner.Add(word + " alone " + word, LogLevel::kInfo, 0));
  }
  EXPECT_EQ(ids.size(), 1000u);
  EXPECT_LE(miner.Templates().size(), 100u);
  EXPECT_EQ(miner.DroppedTemplates() + static_cast<int64_t>(miner.Templates().size()), 1000);
  EXPECT_EQ(miner.DroppedRecords(), miner.DroppedTemplates());
}

struct LabeledLine {
  std::string label;
  std::string line;
};

// testdata/labeled_lines.txt.gz: lines of real runs with the statement that wrote them; see label_lines.py.
std::vector<LabeledLine> LabeledLines() {
  const std::string path = SourceFile("src/text_log/testdata/labeled_lines.txt.gz");
  auto file = OpenFileSource(path);
  if (!file) return {};
  const std::unique_ptr<ByteSource> source = Decompress(std::move(*file), path);
  const Result<std::string> text = ReadAll(source.get(), 64 << 20, path);
  std::vector<LabeledLine> lines;
  if (!text) return lines;
  for (size_t begin = 0; begin < text->size();) {
    const size_t end = std::min(text->find('\n', begin), text->size());
    const size_t tab = text->find('\t', begin);
    lines.push_back({text->substr(begin, tab - begin), text->substr(tab + 1, end - tab - 1)});
    begin = end + 1;
  }
  return lines;
}

class Assigner : public LogRecordHandler {
 public:
  void OnRecord(const LogRecord& record) override {
    ids.push_back(miner.Add(record.message, record.level, record.time_ns));
  }
  TemplateMiner miner;
  std::vector<uint32_t> ids;
};

// Grouping accuracy (Zhu et al., 2019): the share of lines whose template has exactly the lines of their label.
TEST(TemplateAccuracyTest, NearlyAllLinesOfRealRunsAreGroupedAsTheirStatements) {
  const std::vector<LabeledLine> lines = LabeledLines();
  ASSERT_GE(lines.size(), 2000u);
  Assigner assigner;
  LogReader reader(&assigner);
  for (const LabeledLine& line : lines) reader.AddLines(line.line);
  reader.Finish();
  ASSERT_EQ(assigner.ids.size(), lines.size());

  std::map<std::string, std::set<size_t>> by_label;
  std::map<uint32_t, std::set<size_t>> by_template;
  for (size_t i = 0; i < lines.size(); ++i) {
    by_label[lines[i].label].insert(i);
    by_template[assigner.ids[i]].insert(i);
  }
  size_t right = 0;
  for (size_t i = 0; i < lines.size(); ++i) right += by_label[lines[i].label] == by_template[assigner.ids[i]] ? 1 : 0;
  EXPECT_GE(static_cast<double>(right), 0.95 * static_cast<double>(lines.size()));
}

// The reconstruction relies on this: a line with a meaning has it, and no other line has one.
TEST(TemplateAccuracyTest, NoLineOfARealRunIsTakenForAnotherMessage) {
  const std::map<std::string, MessageKind> kinds = {
      {"TaskSetManager/Starting task", MessageKind::kTaskLaunched},
      {"TaskSetManager/Finished task", MessageKind::kTaskSucceeded},
      {"TaskSetManager/Lost task", MessageKind::kTaskLost},
      {"Executor/Running task", MessageKind::kTaskRunning},
      {"Executor/Finished task .* bytes result sent to driver", MessageKind::kTaskResultSent},
      {"DAGScheduler/Got job", MessageKind::kJobSubmitted},
      {"DAGScheduler/Got map stage job", MessageKind::kJobSubmitted},
      {"DAGScheduler/Final stage", MessageKind::kFinalStage},
      {"DAGScheduler/Job \\d+ finished", MessageKind::kJobSucceeded},
      {"DAGScheduler/Job \\d+ failed", MessageKind::kJobFailed},
      {"DAGScheduler/\\w+ \\d+ \\(.*\\) finished in", MessageKind::kStageSucceeded},
      {"DAGScheduler/\\w+ \\d+ \\(.*\\) failed in", MessageKind::kStageFailed},
      {"TaskSchedulerImpl/Adding task set", MessageKind::kTaskSetAdded},
      {"TaskSchedulerImpl/Lost executor", MessageKind::kExecutorLost},
      {"SparkContext/Submitted application", MessageKind::kApplicationName},
  };
  const MessageTable table({EventMessages().begin(), EventMessages().end()});
  std::map<std::string, int> seen;
  for (const LabeledLine& line : LabeledLines()) {
    const std::string message = line.line.substr(line.line.find(": ") + 2);
    MessageValues values;
    const size_t row = table.Find(message, &values);
    const auto expected = kinds.find(line.label);
    if (expected != kinds.end()) {
      ++seen[line.label];
      ASSERT_NE(row, MessageTable::kNone) << line.line;
      EXPECT_EQ(table.Message(row).kind, expected->second) << line.line;
    } else if (row != MessageTable::kNone) {
      for (const auto& [label, kind] : kinds) {
        const bool also_lost = line.label.starts_with("TaskSetManager/Lost task") ||
                               line.label.starts_with("StandaloneSchedulerBackend/Executor") ||
                               line.label.starts_with("Executor/Finished task");
        EXPECT_TRUE(table.Message(row).kind != kind || also_lost) << line.line;
      }
    }
  }
  EXPECT_EQ(seen.size(), kinds.size());
}

}  // namespace
}  // namespace sparkprof
