// SPDX-License-Identifier: Apache-2.0
#include "base/text/hadoop_configuration.h"

#include "base/io/file.h"
#include "base/text/xml_tree.h"

namespace sparkprof {

HadoopConfiguration ReadHadoopConfiguration(const std::string& folder) {
  HadoopConfiguration properties;
  if (folder.empty()) return properties;
  for (const char* const name : {"/core-site.xml", "/hdfs-site.xml", "/yarn-site.xml"}) {
    if (const auto text = ReadFile(folder + name)) AddHadoopProperties(*text, &properties);
  }
  return properties;
}

void AddHadoopProperties(std::string_view xml, HadoopConfiguration* properties) {
  const Result<XmlElement> root = ParseXml(xml);
  if (!root) return;
  for (const XmlElement& property : root->children) {
    const std::string name(property.Text("name"));
    if (property.name == "property" && !name.empty()) (*properties)[name] = property.Text("value");
  }
}

}  // namespace sparkprof
