// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "base/block_queue.h"
#include "base/line_reader.h"
#include "inputs/inputs.h"
#include "loader/application_loader.h"

namespace sparkprof {

// Hands the input's lines to `take`, block by block, until it says false; what went wrong is in the outcome.
InputOutcome ReadLines(const Input& input, const LineLimits& limits,
                       const std::function<bool(std::string_view lines)>& take);

// The lines of several inputs, one after the other. Each is read and decompressed in a thread of its own, and so is the
// one that comes next, a few blocks of each: what takes the lines does not wait for them. They come in the same order
// as without.
class InputLines {
 public:
  InputLines(std::vector<const Input*> inputs, const LineLimits& limits);

  // Hands all lines of the next input to `take`. Call it once for each input.
  InputOutcome ReadNext(const std::function<void(std::string_view lines)>& take);

 private:
  struct Opened {
    InputOutcome outcome;
    std::unique_ptr<BlockQueue> blocks;  // null: it could not be opened
  };
  Opened Open(size_t row) const;

  std::vector<const Input*> inputs_;
  LineLimits limits_;
  size_t next_ = 0;
  Opened ahead_;  // of inputs_[next_]; empty before the first
};

}  // namespace sparkprof
