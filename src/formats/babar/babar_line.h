// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "formats/records/record_builder.h"

namespace sparkprof {

// One line of criteo/babar's babar.log:
//   BABAR<TAB>container<TAB>METRIC<TAB>epoch ms<TAB>value<TAB>label
// where a CPU_TRACES line's value is a number of samples and its label `thread|root|…|leaf`, each frame
// class.method:line.
class BabarLines {
 public:
  explicit BabarLines(RecordBuilder* builder) : builder_(builder) {}

  // Start of the record in `line`, which may have a prefix; npos = not a record.
  static size_t Find(std::string_view line);

  // False if it is truncated or invalid.
  bool Add(std::string_view line);

 private:
  RecordBuilder* builder_;
};

}  // namespace sparkprof
