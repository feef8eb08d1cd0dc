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
// parts of all other text. Same semantics as in Spark.
class OwnRedaction {
 public:
  OwnRedaction();
  OwnRedaction(OwnRedaction&&) noexcept;
  OwnRedaction& operator=(OwnRedaction&&) noexcept;
  ~OwnRedaction();

  // Reads the expressions from an application's Spark properties; empty if not set. If RE2 does not support one, uses
  // one that matches more, and adds a notice to the application.
  void Read(const std::function<std::string_view(std::string_view name)>& spark_property, Application* application);

  // Sets the expressions; an empty one matches nothing.
  void Set(std::string_view settings, std::string_view strings);

  // Reads the expression for text other than settings from a loaded application's environment.
  void ReadStrings(const Application& application);

  // Redacts the value of a setting. Keeps the expressions themselves, because they are not secrets.
  std::string Setting(std::string_view name, std::string_view value) const;

  // Redacts the value of anything else with a name.
  std::string Named(std::string_view name, std::string_view value) const;

  std::string Text(std::string_view text) const;

  // Redacts `text` in place. Returns false if there was nothing to redact.
  bool RedactText(std::string* text) const;

 private:
  std::unique_ptr<re2::RE2> settings_;
  std::unique_ptr<re2::RE2> strings_;
};

}  // namespace sparkprof
