// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "inputs/inputs.h"

namespace sparkprof {

// Log lines as container runtimes write them:
//   CRI          2026-11-21T16:35:51.123456789Z stderr F 26/11/21 16:35:51 INFO …     (P: the line goes on in the next)
//   docker JSON  {"log":"26/11/21 16:35:51 INFO …\n","stream":"stderr","time":"2026-11-21T16:35:51.123456789Z"}

LineWrapping DetectWrapping(std::string_view head);

// Removes the envelopes. Keeps the order of the container's two streams, and lines without an envelope.
std::string Unwrap(LineWrapping wrapping, std::string_view lines);
std::unique_ptr<ByteSource> UnwrapSource(LineWrapping wrapping, std::unique_ptr<ByteSource> source);

// A line without its wrapping; views are valid until the next one.
struct UnwrappedLine {
  std::string_view text;
  std::string_view time;  // as the runtime wrote it; empty if the line was not wrapped
  int64_t parts = 1;      // lines that it was in
};

// Takes the wrapping off line after line. Parts of a line may have lines of the other stream between them.
class LineUnwrapper {
 public:
  explicit LineUnwrapper(LineWrapping wrapping);
  ~LineUnwrapper();

  // False if the line continues in a later one.
  bool Add(std::string_view line, UnwrappedLine* unwrapped);

  // At the end, once for each line whose end is missing; false if there is none left.
  bool Finish(UnwrappedLine* unwrapped);

 private:
  struct Part;
  struct Parser;
  struct Stream {
    std::string text;
    int64_t parts = 0;
  };

  const LineWrapping wrapping_;
  std::unique_ptr<Parser> parser_;
  std::array<Stream, 2> open_;  // standard output, standard error
  std::string whole_;
};

}  // namespace sparkprof
