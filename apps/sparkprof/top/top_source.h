// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "inputs/input_options.h"
#include "inputs/server_options.h"
#include "render/writers/work_text.h"

namespace sparkprof {

// A subject of `sparkprof top`: each call of Lines returns the next picture.
class TopSource {
 public:
  virtual ~TopSource() = default;

  virtual Result<std::vector<std::string>> Lines(const WorkTextStyle& style) = 0;
  // Whether the key changes the result of Lines.
  virtual bool OnKey(char key) = 0;
  // Returns "s sort (running tasks)  w window (30 s)".
  virtual std::string Keys() const = 0;
  // Called often between two pictures, to measure.
  virtual void Measure() {}
  // Whether a picture covers the interval since the previous one, so that the first one takes some time.
  virtual bool IsOfInterval() const { return false; }
};

// A recording, event log or folder of them that a running job writes, or the URL of an application on a collector.
// `asked`: the application (IsAsked); empty = the running one that started last.
std::unique_ptr<TopSource> ApplicationTop(std::string input, std::string asked, int64_t window_ns,
                                          const InputOptions& options, const CollectorOptions& server);

// The running applications of a collector.
std::unique_ptr<TopSource> ServerTop(const CollectorOptions& server);

// The JVMs of Spark on this host and their Python processes.
std::unique_ptr<TopSource> HostTop();

}  // namespace sparkprof
