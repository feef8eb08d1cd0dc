// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>

#include "text_log/log_header.h"
#include "text_log/log_time.h"

namespace sparkprof {

// Removes what programs that collect logs write before each line:
//   kubectl logs --timestamps    2024-01-15T11:59:52.123456789Z LINE
//   kubectl logs --prefix        [pod/NAME/CONTAINER] LINE
//   stern, docker compose        pod-name container LINE         service-1  | LINE
//   Airflow                      [2024-01-15T11:59:52.123+0000] {spark_submit.py:492} INFO - LINE
//   syslog                       Jan 15 11:59:52 host spark[1234]: LINE        <14>1 2024-01-15T11:59:52Z host spark
//   1234 - - LINE journald                     2024-01-15T11:59:52+0000 host spark-submit[1234]: LINE
// Where a log of Spark could look like that itself, a prefix counts from the first line on in which a whole header
// follows it. Not thread-safe.
class LinePrefix {
 public:
  // The line without its prefixes. Sets `time` to that of the last prefix which has one; its size is 0 without any.
  std::string_view Remove(std::string_view line, LogTime* time);

 private:
  // Each returns the size of a prefix at the start of `line`, 0 = there is none.
  size_t SyslogSize(std::string_view line, LogTime* time);
  size_t TimestampSize(std::string_view line, LogTime* time);
  size_t AirflowSize(std::string_view line, LogTime* time);
  size_t NameSize(std::string_view line);
  bool IsKnown(std::string_view key, std::string_view rest);

  LogTimeParser times_;
  LogHeaderParser headers_;
  std::set<std::string, std::less<>> known_;  // places, names and kinds of prefixes that headers followed
  size_t tried_ = 0;                          // lines without a header that might have begun with a prefix
  int depth_ = 0;
};

}  // namespace sparkprof
