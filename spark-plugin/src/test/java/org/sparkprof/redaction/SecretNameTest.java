// SPDX-License-Identifier: Apache-2.0
package org.sparkprof.redaction;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Locale;
import org.junit.jupiter.api.Test;

final class SecretNameTest {
  private static String camelCase(String pair) {
    int dash = pair.indexOf('-');
    return pair.substring(0, dash) + Character.toUpperCase(pair.charAt(dash + 1)) + pair.substring(dash + 2);
  }

  /** The quick search must not miss a name that the words of the rules make a secret's. */
  @Test
  void everyWordAndPairOfTheRulesMakesASecretsName() {
    for (String section : new String[] {"strong", "weak", "maybe", "header", "inside", "ending"}) {
      for (String word : Rules.get().list(section)) {
        assertTrue(SecretName.isSecret("spark.my." + word), word);
        assertTrue(SecretName.isSecret(word.toUpperCase(Locale.ROOT)), word);
      }
    }
    for (String section : new String[] {"pair", "inner-pair"}) {
      for (String pair : Rules.get().list(section)) {
        assertTrue(SecretName.isSecret("spark." + pair.replace('-', '.')), pair);
        assertTrue(SecretName.isSecret("spark." + camelCase(pair)), pair);
      }
    }
    for (String name :
        new String[] {"spark.executorEnv.X_KEY", "MY_BIG_KEY", "myaccess_keys", "mytokenizer", "x.accessXkey"}) {
      assertTrue(SecretName.isSecret(name), name);
    }
  }

  @Test
  void mostNamesAreNoSecrets() {
    for (String name :
        new String[] {"spark.app.name", "", "x", "spark.sql.shuffle.partitions", "primary.key", "compass"}) {
      assertFalse(SecretName.isSecret(name), name);
    }
  }
}
