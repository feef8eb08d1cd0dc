// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "model/application.h"

namespace re2 {
class RE2;
}

namespace sparkprof {

// The application's own redaction rules, applied in addition to redaction/rules.txt: spark.redaction.regex for names
// and values of settings and local properties, spark.sql.redaction.string.regex (else spark.redaction.string.regex) for
// parts of all other text. Both mean what they mean to Spark.
class OwnRedaction {
 public:
  OwnRedaction();
  OwnRedaction(OwnRedaction&&) noexcept;
  OwnRedaction& operator=(OwnRedaction&&) noexcept;
  ~OwnRedaction();

  // Takes the expressions from an application's Spark properties, by name; empty without one. Instead of one that RE2
  // does not support, one that finds more applies, and a notice of the application names it.
  void Read(const std::function<std::string_view(std::string_view name)>& spark_property, Application* application);

  // Takes the expressions themselves; an empty one finds nothing.
  void Set(std::string_view settings, std::string_view strings);

  // Takes the expression for other text than settings from the environment of an application that was read.
  void ReadStrings(const Application& application);

  // The value of a setting without secrets. The expressions themselves are kept, because they are not secrets.
  std::string Setting(std::string_view name, std::string_view value) const;

  // The value of anything else that has a name, without secrets.
  std::string Named(std::string_view name, std::string_view value) const;

  // A text without secrets.
  std::string Text(std::string_view text) const;

  // The same in place. False when there was nothing to redact.
  bool RedactText(std::string* text) const;

 private:
  std::unique_ptr<re2::RE2> settings_;
  std::unique_ptr<re2::RE2> strings_;
};

}  // namespace sparkprof
