// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "failures/message_sign.h"

namespace sparkprof {

// Failures of Spark jobs. Texts refer to the tables of failures/, whose format is in their README.md.

enum class ClusterManager : uint8_t { kUnknown, kLocal, kStandalone, kYarn, kKubernetes };

// The manager of a spark.master: "yarn", "k8s://https://host", "spark://host:7077", "local[4]".
ClusterManager ManagerOfMaster(std::string_view master);

// In ascending precedence.
enum class FailureRank : uint8_t { kHarmless, kWarning, kWrapper, kEffect, kCause, kDecisive };

struct Failure {
  std::string_view id;
  FailureRank rank = FailureRank::kCause;
  std::string_view holds;                // "heap", "container"
  std::string_view means;                // a sentence without holes
  std::string_view sentence;             // the sentence for MeaningOf, with holes
  std::vector<std::string_view> remedy;  // steps, for RemedyOf
  std::string_view why, check;
  bool excuses = false;     // harmless, and wins over every other row: the text itself shows that nothing failed
  bool names_kind = false;  // the row is for a kind of errors, whose own messages name the fault
};

const std::vector<Failure>& Failures();

struct FailureMatch {
  const Failure* failure = nullptr;
  size_t offset = 0;  // position of the sign in the text
  HoleValues values;
};

// The failure that explains a text: the match with the highest rank. Makes one pass without allocation. `manager`
// decides the meaning of exit codes; if it is unknown, words of the text do. `around` is what the input says besides:
// signs with "&&" look for their other parts there, too.
std::optional<FailureMatch> FindFailure(std::string_view text, ClusterManager manager = ClusterManager::kUnknown,
                                        std::span<const std::string_view> around = {});

// Null if no row has the code. Codes from -2 to -31 are signals.
const Failure* FailureOfExit(int64_t code, ClusterManager manager);

struct RemedyStep {
  std::string setting;  // empty = an action
  std::string value;    // the setting's value, or the action
  bool is_set = false;  // only says that the input shows the advised value already
};

// A number of the application, by its name in remedies ("heap") or by the key of a setting.
using NumberByName = std::function<std::optional<double>(std::string_view name)>;

// The steps of a failure's remedy, with computed values where all numbers are known, otherwise in words.
std::vector<RemedyStep> RemedyOf(const FailureMatch& match, const NumberByName& number_of);

// The sentence of a failure, with the values of the text where the row has holes for them.
std::string MeaningOf(const FailureMatch& match, const NumberByName& number_of);

// The steps as sentences, without the final period: "Set spark.executor.memory=6g. Use more partitions".
std::string RemedyText(const std::vector<RemedyStep>& steps);

// The concatenated files of failures/.
extern const std::string_view kFailureTables;

}  // namespace sparkprof
