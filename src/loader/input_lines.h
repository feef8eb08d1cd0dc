// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "base/io/block_queue.h"
#include "base/io/line_reader.h"
#include "inputs/inputs.h"
#include "loader/application_loader.h"

namespace sparkprof {

// Passes the input's lines to `take`, block by block, until it returns false; errors are in the outcome. `as_written`:
// with the envelopes of container runtimes.
InputOutcome ReadLines(const Input& input, const LineLimits& limits,
                       const std::function<bool(std::string_view lines)>& take, bool as_written = false);

// The lines of several inputs in order, as written. The current and the next input are each read and decompressed a few
// blocks ahead in their own threads.
class InputLines {
 public:
  InputLines(std::vector<const Input*> inputs, const LineLimits& limits);

  // Passes all lines of the next input to `take`. Call once per input.
  InputOutcome ReadNext(const std::function<void(std::string_view lines)>& take);

 private:
  struct Opened {
    InputOutcome outcome;
    std::unique_ptr<BlockQueue> blocks;  // null = could not be opened
  };
  Opened Open(size_t row) const;

  std::vector<const Input*> inputs_;
  LineLimits limits_;
  size_t next_ = 0;
  Opened ahead_;  // inputs_[next_]; empty before the first
};

}  // namespace sparkprof
