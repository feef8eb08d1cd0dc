// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/testing/folder_test.h"
#include "history/history_answers.h"
#include "history/history_loader.h"

namespace sparkprof {

// Answers for an application from the events of its log.
class HistoryFixture : public FolderTest {
 protected:
  // The answer for application app-1 of Spark 3.5.7, started at 1 s, with these events; the time now is 9 s.
  std::string Get(const std::vector<std::string>& events, const std::vector<std::string>& path,
                  const std::vector<std::pair<std::string, std::string>>& parameters = {}) {
    std::string log =
        R"({"Event":"SparkListenerLogStart","Spark Version":"3.5.7"})"
        "\n"
        R"({"Event":"SparkListenerApplicationStart","App Name":"etl","App ID":"app-1","Timestamp":1000,"User":"me"})"
        "\n";
    for (const std::string& event : events) log += event + "\n";
    const Result<History> history = LoadHistory({{Write("log", log)}, 0}, 1);
    if (!history) return history.error().message;
    const HistoryAnswer answer = AnswerHistory(*history, path, parameters, 9000);
    return answer.status == 200 ? answer.body : std::to_string(answer.status) + " " + answer.body;
  }
};

inline void ExpectHas(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

inline void ExpectHasNot(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) EXPECT_EQ(text.find(part), std::string::npos) << part << "\n" << text;
}

inline std::string ExecutorAdded(const std::string& id, const std::string& host) {
  return R"({"Event":"SparkListenerExecutorAdded","Timestamp":1200,"Executor ID":")" + id +
         R"(","Executor Info":{"Host":")" + host + R"(","Total Cores":4}})";
}

}  // namespace sparkprof
