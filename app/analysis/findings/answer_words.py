"""The words of the sentences that answer primary questions, in English and German.

A clause is chosen by what was found. Its places: `{who}` is what the clause is about (sources, levels or pools),
`{did}` is was or were, `{reference}` is what it is compared with, `{on}` the question, `{in_which}` the question where
a study has several choices, `{cause}` a covariate or the name of an estimate, `{part}` the part of the data in which an
effect differs, and `{value}` the estimate.
"""

from dataclasses import dataclass

from app.base.numbers import in_german
from app.protocol.primary import KINDS
from app.stats.result import Reason

# Clauses of sources have no prefix; those of other contrasts have that of their kind.
_ENGLISH = {
    "higher": "{who} {did} rated higher than {reference} on {on}",
    "lower": "{who} {did} rated lower than {reference} on {on}",
    "preferred": "{who} {did} preferred over {reference}{in_which}",
    "not_preferred": "{reference} was preferred over {who}{in_which}",
    "more_often": "{who} {did} given {on} more often than {reference}",
    "less_often": "{who} {did} given {on} less often than {reference}",
    "more_points": "{who} {did} given more points than {reference} on {on}",
    "fewer_points": "{who} {did} given fewer points than {reference} on {on}",
    "inconclusive": "{who} did not differ clearly from {reference} on {on}",
    "none_differed": "{who} differed clearly from {reference} on {on}",
    "equivalent": "{who} {did} equivalent to {reference} on {on}",
    "non_inferior": "{who} {did} not inferior to {reference} on {on}",
    "not_equivalent": "{who} {did} not shown to be equivalent to {reference} on {on}",
    "not_non_inferior": "{who} {did} not shown to be non-inferior to {reference} on {on}",
    "unknown": "{who} cannot be compared with {reference} on {on} yet",
    "at_least_higher": "{who} {did} rated {part} more often than {reference} on {on}",
    "at_least_lower": "{who} {did} rated {part} less often than {reference} on {on}",
    "at_least_inconclusive": "ratings of {part} on {on} were not clearly more or less frequent for {who} than for "
    "{reference}",
    "distribution_clear": "the answers on {on} were distributed differently for {who} than for {reference}",
    "distribution_inconclusive": "the answers on {on} were not clearly distributed differently for {who} than for "
    "{reference}",
    "sources_clear": "the answers on {on} were distributed differently for different sources",
    "sources_inconclusive": "the answers on {on} were not clearly distributed differently for different sources",
    "level_higher": "ratings on {on} were higher with {who} than with {reference}",
    "level_lower": "ratings on {on} were lower with {who} than with {reference}",
    "level_inconclusive": "ratings on {on} with {who} did not differ clearly from those with {reference}",
    "level_unknown": "ratings on {on} with {who} cannot be compared with those with {reference} yet",
    "chosen_higher": "responses with {who} were chosen more often than those with {reference}",
    "chosen_lower": "responses with {who} were chosen less often than those with {reference}",
    "chosen_inconclusive": "responses with {who} were not clearly chosen more or less often than those with "
    "{reference}",
    "chosen_unknown": "responses with {who} cannot be compared with those with {reference} yet",
    "interaction_higher": "the difference {who} minus {reference} on {on} was higher with {part} than otherwise",
    "interaction_lower": "the difference {who} minus {reference} on {on} was lower with {part} than otherwise",
    "interaction_inconclusive": "the difference {who} minus {reference} on {on} did not depend clearly on {part}",
    "interaction_unknown": "whether the difference {who} minus {reference} on {on} depends on {part} cannot be told "
    "yet",
    "pools_higher": "on the same responses, ratings by {who} were higher than those by {reference} on {on}",
    "pools_lower": "on the same responses, ratings by {who} were lower than those by {reference} on {on}",
    "pools_inconclusive": "on the same responses, ratings by {who} did not differ clearly from those by {reference} "
    "on {on}",
    "pools_value": "over the same responses, the mean ratings by {who} and by {reference} on {on} correlated with r "
    "= {value}",
    "pools_unknown": "ratings by {who} cannot be compared with those by {reference} on {on} yet",
    "items_accuracy_higher": "answers on {on} were correct more often with {who} than with {reference}",
    "items_accuracy_lower": "answers on {on} were correct less often with {who} than with {reference}",
    "items_accuracy_inconclusive": "answers on {on} were not clearly correct more or less often with {who} than with "
    "{reference}",
    "items_accuracy_unknown": "how often answers on {on} are correct with {who} and with {reference} cannot be told "
    "yet",
    "items_category_higher": "on {on}, {part} was answered more often with {who} than with {reference}",
    "items_category_lower": "on {on}, {part} was answered less often with {who} than with {reference}",
    "items_category_inconclusive": "on {on}, {part} was not clearly answered more or less often with {who} than with "
    "{reference}",
    "items_category_unknown": "how often {part} is answered on {on} with {who} and with {reference} cannot be told yet",
    "items_interaction_higher": "on {on}, {part} was larger with {who} than with {reference}",
    "items_interaction_lower": "on {on}, {part} was smaller with {who} than with {reference}",
    "items_interaction_inconclusive": "on {on}, {part} did not differ clearly between {who} and {reference}",
    "items_interaction_unknown": "whether {part} on {on} differs between {who} and {reference} cannot be told yet",
    "items_preference_higher": "{part} was preferred more often with {who} than with {reference} in {on}",
    "items_preference_lower": "{part} was preferred less often with {who} than with {reference} in {on}",
    "items_preference_inconclusive": "{part} was not clearly preferred more or less often with {who} than with "
    "{reference} in {on}",
    "items_preference_unknown": "how often {part} is preferred in {on} with {who} and with {reference} cannot be told "
    "yet",
    "pools_raters_higher": "{on} was higher for {who} than for {reference}",
    "pools_raters_lower": "{on} was lower for {who} than for {reference}",
    "pools_raters_inconclusive": "{on} did not differ clearly between {who} and {reference}",
    "pools_raters_unknown": "{on} cannot be compared between {who} and {reference} yet",
    "pools_change_higher": "{on} rose more, or fell less, for {who} than for {reference}",
    "pools_change_lower": "{on} rose less, or fell more, for {who} than for {reference}",
    "pools_change_inconclusive": "the change in {on} did not differ clearly between {who} and {reference}",
    "pools_change_unknown": "the change in {on} cannot be compared between {who} and {reference} yet",
    "pools_accuracy_higher": "answers by {who} on {on} were correct more often than those by {reference}",
    "pools_accuracy_lower": "answers by {who} on {on} were correct less often than those by {reference}",
    "pools_accuracy_inconclusive": "answers by {who} on {on} were not clearly correct more or less often than those "
    "by {reference}",
    "pools_accuracy_unknown": "how often answers by {who} on {on} are correct cannot be compared with those by "
    "{reference} yet",
    "pools_empathic_higher": "ratings of {on} by {who} followed the targets' own more closely than those by "
    "{reference}",
    "pools_empathic_lower": "ratings of {on} by {who} followed the targets' own less closely than those by {reference}",
    "pools_empathic_inconclusive": "ratings of {on} by {who} did not clearly follow the targets' own more or less "
    "closely than those by {reference}",
    "pools_empathic_unknown": "how closely ratings of {on} by {who} and by {reference} follow the targets' own cannot "
    "be compared yet",
    "pools_f1_higher": "answers by {who} on {on} matched the key better than those by {reference}",
    "pools_f1_lower": "answers by {who} on {on} matched the key less well than those by {reference}",
    "pools_f1_inconclusive": "answers by {who} on {on} did not clearly match the key better or less well than those "
    "by {reference}",
    "pools_f1_unknown": "how well answers by {who} on {on} match the key cannot be compared with those by "
    "{reference} yet",
    "pools_category_higher": "on {on}, {part} was answered more often by {who} than by {reference}",
    "pools_category_lower": "on {on}, {part} was answered less often by {who} than by {reference}",
    "pools_category_inconclusive": "on {on}, {part} was not clearly answered more or less often by {who} than by "
    "{reference}",
    "pools_category_unknown": "how often {who} answer {part} on {on} cannot be compared with {reference} yet",
    "pools_preference_higher": "{part} was preferred more often by {who} than by {reference} in {on}",
    "pools_preference_lower": "{part} was preferred less often by {who} than by {reference} in {on}",
    "pools_preference_inconclusive": "{part} was not clearly preferred more or less often by {who} than by "
    "{reference} in {on}",
    "pools_preference_unknown": "how often {part} is preferred in {on} cannot be compared between {who} and "
    "{reference} yet",
    "turns_higher": "ratings of {who} on {on} rose from turn to turn",
    "turns_lower": "ratings of {who} on {on} fell from turn to turn",
    "turns_inconclusive": "ratings of {who} on {on} did not clearly rise or fall from turn to turn",
    "turns_unknown": "whether ratings of {who} on {on} rise or fall from turn to turn cannot be told yet",
    "turns_difference_higher": "from turn to turn, ratings on {on} rose more, or fell less, for {who} than for "
    "{reference}",
    "turns_difference_lower": "from turn to turn, ratings on {on} rose less, or fell more, for {who} than for "
    "{reference}",
    "turns_difference_inconclusive": "from turn to turn, ratings on {on} did not change clearly differently for "
    "{who} than for {reference}",
    "turns_difference_unknown": "how ratings of {who} on {on} change from turn to turn cannot be compared with "
    "{reference} yet",
    "covariate_higher": "ratings of {who} on {on} were higher with higher {cause}",
    "covariate_lower": "ratings of {who} on {on} were lower with higher {cause}",
    "covariate_inconclusive": "ratings of {who} on {on} did not depend clearly on {cause}",
    "covariate_unknown": "whether ratings of {who} on {on} depend on {cause} cannot be told yet",
    "covariate_difference_higher": "with higher {cause}, ratings on {on} rose more, or fell less, for {who} than for "
    "{reference}",
    "covariate_difference_lower": "with higher {cause}, ratings on {on} rose less, or fell more, for {who} than for "
    "{reference}",
    "covariate_difference_inconclusive": "with higher {cause}, ratings on {on} did not change clearly differently "
    "for {who} than for {reference}",
    "covariate_difference_unknown": "how ratings of {who} on {on} depend on {cause} cannot be compared with "
    "{reference} yet",
    "detection_higher": "raters told models from people better than by chance",
    "detection_lower": "raters took models for people more often than chance would",
    "detection_inconclusive": "raters did not clearly tell models from people",
    "detection_unknown": "whether raters told models from people cannot be told yet",
    "belief_higher": "{who} {did} rated higher on {on} when raters believed that a model had written the response",
    "belief_lower": "{who} {did} rated lower on {on} when raters believed that a model had written the response",
    "belief_inconclusive": "ratings of {who} on {on} did not depend clearly on whether raters believed that a model "
    "had written the response",
    "belief_unknown": "whether ratings of {who} on {on} depend on who is believed to be the author cannot be told yet",
    "change_higher": "{on} was higher after than before",
    "change_lower": "{on} was lower after than before",
    "change_inconclusive": "{on} did not change clearly from before to after",
    "change_unknown": "whether {on} changed from before to after cannot be told yet",
    "trade_off_higher": "for {on}, {who} counted more than {reference}",
    "trade_off_lower": "for {on}, {who} counted less than {reference}",
    "trade_off_inconclusive": "for {on}, {who} did not clearly count more or less than {reference}",
    "trade_off_unknown": "for {on}, how much {who} counts beside {reference} cannot be told yet",
    "change_level_higher": "with {who}, {on} was higher after than before",
    "change_level_lower": "with {who}, {on} was lower after than before",
    "change_level_inconclusive": "with {who}, {on} did not change clearly from before to after",
    "change_level_unknown": "with {who}, whether {on} changed from before to after cannot be told yet",
    "change_difference_higher": "at the same score before, {on} was higher afterwards with {who} than with {reference}",
    "change_difference_lower": "at the same score before, {on} was lower afterwards with {who} than with {reference}",
    "change_difference_inconclusive": "at the same score before, {on} with {who} did not differ clearly afterwards "
    "from that with {reference}",
    "change_difference_unknown": "the change in {on} with {who} cannot be compared with that with {reference} yet",
    "texts_higher": "the texts of {who} had a higher {on} than those of {reference}",
    "texts_lower": "the texts of {who} had a lower {on} than those of {reference}",
    "texts_inconclusive": "the texts of {who} did not differ clearly from those of {reference} in {on}",
    "texts_unknown": "the texts of {who} cannot be compared with those of {reference} in {on} yet",
    "structure_value": "the number of factors in the questions of {on}, by parallel analysis, was {value}",
    "accuracy_value": "{value} of answers were correct on {on}",
    "f1_value": "answers on {on} matched the key with a macro-averaged F1 of {value}",
    "empathic_value": "raters' ratings of {on} correlated with the targets' own ratings at r = {value} on average",
    "span_f1_value": "passages marked for {on} matched the key with F1 = {value}",
    "agreement_value": "agreement on {on} was {cause} = {value}",
    "estimate_unknown": "{on} cannot be estimated yet",
    "no_answers": "there are no answers on {on} yet for this comparison",
    "none_with_filter": "with this filter, there are no answers on {on} for this comparison",
}
_GERMAN = {
    "higher": "{who} {did} bei {on} höher bewertet als {reference}",
    "lower": "{who} {did} bei {on} niedriger bewertet als {reference}",
    "preferred": "{who} {did}{in_which} gegenüber {reference} bevorzugt",
    "not_preferred": "{reference} wurde{in_which} gegenüber {who} bevorzugt",
    "more_often": "{who} {did} häufiger mit {on} beurteilt als {reference}",
    "less_often": "{who} {did} seltener mit {on} beurteilt als {reference}",
    "more_points": "bei {on} wurden {who} mehr Punkte gegeben als {reference}",
    "fewer_points": "bei {on} wurden {who} weniger Punkte gegeben als {reference}",
    "inconclusive": "{who} {differs} sich bei {on} nicht klar von {reference}",
    "none_differed": "{who} unterschied sich bei {on} klar von {reference}",
    "equivalent": "{who} {be} {reference} bei {on} gleichwertig",
    "non_inferior": "{who} {be} {reference} bei {on} nicht unterlegen",
    "not_equivalent": "für {who} ist bei {on} keine Gleichwertigkeit mit {reference} gezeigt",
    "not_non_inferior": "für {who} ist bei {on} keine Nichtunterlegenheit gegenüber {reference} gezeigt",
    "unknown": "{who} {can} sich bei {on} noch nicht mit {reference} vergleichen",
    "at_least_higher": "{who} {did} bei {on} häufiger mit {part} bewertet als {reference}",
    "at_least_lower": "{who} {did} bei {on} seltener mit {part} bewertet als {reference}",
    "at_least_inconclusive": "bei {on} waren Bewertungen mit {part} für {who} nicht klar häufiger oder seltener als "
    "für {reference}",
    "distribution_clear": "die Antworten bei {on} waren für {who} anders verteilt als für {reference}",
    "distribution_inconclusive": "die Antworten bei {on} waren für {who} nicht klar anders verteilt als für "
    "{reference}",
    "sources_clear": "die Antworten bei {on} waren je nach Quelle anders verteilt",
    "sources_inconclusive": "die Antworten bei {on} waren je nach Quelle nicht klar anders verteilt",
    "level_higher": "bei {on} waren die Bewertungen mit {who} höher als mit {reference}",
    "level_lower": "bei {on} waren die Bewertungen mit {who} niedriger als mit {reference}",
    "level_inconclusive": "bei {on} unterschieden sich die Bewertungen mit {who} nicht klar von denen mit {reference}",
    "level_unknown": "bei {on} lassen sich die Bewertungen mit {who} noch nicht mit denen mit {reference} vergleichen",
    "chosen_higher": "Antworten mit {who} wurden häufiger gewählt als solche mit {reference}",
    "chosen_lower": "Antworten mit {who} wurden seltener gewählt als solche mit {reference}",
    "chosen_inconclusive": "Antworten mit {who} wurden nicht klar häufiger oder seltener gewählt als solche mit "
    "{reference}",
    "chosen_unknown": "Antworten mit {who} lassen sich noch nicht mit solchen mit {reference} vergleichen",
    "interaction_higher": "bei {on} war die Differenz {who} minus {reference} mit {part} höher als sonst",
    "interaction_lower": "bei {on} war die Differenz {who} minus {reference} mit {part} niedriger als sonst",
    "interaction_inconclusive": "bei {on} hing die Differenz {who} minus {reference} nicht klar ab von {part}",
    "interaction_unknown": "bei {on} lässt sich noch nicht sagen, ob die Differenz {who} minus {reference} von "
    "{part} abhängt",
    "pools_higher": "für dieselben Antworten waren die Bewertungen durch {who} bei {on} höher als die durch "
    "{reference}",
    "pools_lower": "für dieselben Antworten waren die Bewertungen durch {who} bei {on} niedriger als die durch "
    "{reference}",
    "pools_inconclusive": "für dieselben Antworten unterschieden sich die Bewertungen durch {who} bei {on} nicht "
    "klar von denen durch {reference}",
    "pools_value": "über dieselben Antworten korrelierten die mittleren Bewertungen durch {who} und durch "
    "{reference} bei {on} mit r = {value}",
    "pools_unknown": "bei {on} lassen sich die Bewertungen durch {who} noch nicht mit denen durch {reference} "
    "vergleichen",
    "items_accuracy_higher": "bei {on} waren die Antworten mit {who} häufiger richtig als mit {reference}",
    "items_accuracy_lower": "bei {on} waren die Antworten mit {who} seltener richtig als mit {reference}",
    "items_accuracy_inconclusive": "bei {on} waren die Antworten mit {who} nicht klar häufiger oder seltener richtig "
    "als mit {reference}",
    "items_accuracy_unknown": "wie oft bei {on} die Antworten mit {who} und mit {reference} richtig sind, lässt sich "
    "noch nicht sagen",
    "items_category_higher": "bei {on} wurde mit {who} häufiger {part} geantwortet als mit {reference}",
    "items_category_lower": "bei {on} wurde mit {who} seltener {part} geantwortet als mit {reference}",
    "items_category_inconclusive": "bei {on} wurde mit {who} nicht klar häufiger oder seltener {part} geantwortet als "
    "mit {reference}",
    "items_category_unknown": "wie oft bei {on} mit {who} und mit {reference} {part} geantwortet wird, lässt sich noch "
    "nicht sagen",
    "items_interaction_higher": "bei {on} war {part} mit {who} größer als mit {reference}",
    "items_interaction_lower": "bei {on} war {part} mit {who} kleiner als mit {reference}",
    "items_interaction_inconclusive": "bei {on} unterschied sich {part} nicht klar zwischen {who} und {reference}",
    "items_interaction_unknown": "ob sich {part} bei {on} zwischen {who} und {reference} unterscheidet, lässt sich "
    "noch nicht sagen",
    "items_preference_higher": "bei {on} wurde {part} mit {who} häufiger bevorzugt als mit {reference}",
    "items_preference_lower": "bei {on} wurde {part} mit {who} seltener bevorzugt als mit {reference}",
    "items_preference_inconclusive": "bei {on} wurde {part} mit {who} nicht klar häufiger oder seltener bevorzugt als "
    "mit {reference}",
    "items_preference_unknown": "wie oft bei {on} {part} mit {who} und mit {reference} bevorzugt wird, lässt sich noch "
    "nicht sagen",
    "pools_raters_higher": "{on} war für {who} höher als für {reference}",
    "pools_raters_lower": "{on} war für {who} niedriger als für {reference}",
    "pools_raters_inconclusive": "{on} war für {who} nicht klar höher oder niedriger als für {reference}",
    "pools_raters_unknown": "ob {on} für {who} höher ist als für {reference}, lässt sich noch nicht sagen",
    "pools_change_higher": "{on} stieg für {who} stärker (oder sank weniger) als für {reference}",
    "pools_change_lower": "{on} stieg für {who} weniger (oder sank stärker) als für {reference}",
    "pools_change_inconclusive": "{on} änderte sich für {who} nicht klar anders als für {reference}",
    "pools_change_unknown": "ob sich {on} für {who} anders änderte als für {reference}, lässt sich noch nicht sagen",
    "pools_accuracy_higher": "bei {on} waren die Antworten durch {who} häufiger richtig als die durch {reference}",
    "pools_accuracy_lower": "bei {on} waren die Antworten durch {who} seltener richtig als die durch {reference}",
    "pools_accuracy_inconclusive": "bei {on} waren die Antworten durch {who} nicht klar häufiger oder seltener "
    "richtig als die durch {reference}",
    "pools_accuracy_unknown": "wie oft bei {on} die Antworten durch {who} richtig sind, lässt sich mit denen durch "
    "{reference} noch nicht vergleichen",
    "pools_empathic_higher": "Bewertungen von {on} durch {who} folgten den eigenen der Zielpersonen enger als "
    "die durch {reference}",
    "pools_empathic_lower": "Bewertungen von {on} durch {who} folgten den eigenen der Zielpersonen weniger eng "
    "als die durch {reference}",
    "pools_empathic_inconclusive": "Bewertungen von {on} durch {who} folgten den eigenen der Zielpersonen nicht klar "
    "enger oder weniger eng als die durch {reference}",
    "pools_empathic_unknown": "wie eng Bewertungen von {on} durch {who} und durch {reference} den eigenen der "
    "Zielpersonen folgen, lässt sich noch nicht vergleichen",
    "pools_f1_higher": "bei {on} stimmten die Antworten durch {who} besser mit dem Schlüssel überein als die durch "
    "{reference}",
    "pools_f1_lower": "bei {on} stimmten die Antworten durch {who} weniger gut mit dem Schlüssel überein als die "
    "durch {reference}",
    "pools_f1_inconclusive": "bei {on} stimmten die Antworten durch {who} nicht klar besser oder weniger gut mit dem "
    "Schlüssel überein als die durch {reference}",
    "pools_f1_unknown": "wie gut bei {on} die Antworten durch {who} mit dem Schlüssel übereinstimmen, lässt sich mit "
    "denen durch {reference} noch nicht vergleichen",
    "pools_category_higher": "bei {on} wurde {part} durch {who} häufiger geantwortet als durch {reference}",
    "pools_category_lower": "bei {on} wurde {part} durch {who} seltener geantwortet als durch {reference}",
    "pools_category_inconclusive": "bei {on} wurde {part} durch {who} nicht klar häufiger oder seltener geantwortet "
    "als durch {reference}",
    "pools_category_unknown": "ob bei {on} {part} durch {who} häufiger geantwortet wird als durch {reference}, "
    "lässt sich noch nicht sagen",
    "pools_preference_higher": "bei {on} wurde {part} durch {who} häufiger bevorzugt als durch {reference}",
    "pools_preference_lower": "bei {on} wurde {part} durch {who} seltener bevorzugt als durch {reference}",
    "pools_preference_inconclusive": "bei {on} wurde {part} durch {who} nicht klar häufiger oder seltener bevorzugt "
    "als durch {reference}",
    "pools_preference_unknown": "ob bei {on} {part} durch {who} häufiger bevorzugt wird als durch {reference}, "
    "lässt sich noch nicht sagen",
    "turns_higher": "die Bewertungen von {who} bei {on} stiegen von Beitrag zu Beitrag",
    "turns_lower": "die Bewertungen von {who} bei {on} sanken von Beitrag zu Beitrag",
    "turns_inconclusive": "die Bewertungen von {who} bei {on} stiegen oder sanken nicht klar von Beitrag zu Beitrag",
    "turns_unknown": "ob die Bewertungen von {who} bei {on} von Beitrag zu Beitrag steigen oder sinken, lässt sich "
    "noch nicht sagen",
    "turns_difference_higher": "von Beitrag zu Beitrag stiegen die Bewertungen bei {on} für {who} stärker (oder "
    "sanken weniger) als für {reference}",
    "turns_difference_lower": "von Beitrag zu Beitrag stiegen die Bewertungen bei {on} für {who} weniger (oder "
    "sanken stärker) als für {reference}",
    "turns_difference_inconclusive": "von Beitrag zu Beitrag änderten sich die Bewertungen bei {on} für {who} nicht "
    "klar anders als für {reference}",
    "turns_difference_unknown": "wie sich die Bewertungen von {who} bei {on} von Beitrag zu Beitrag ändern, lässt "
    "sich noch nicht mit {reference} vergleichen",
    "covariate_higher": "die Bewertungen von {who} bei {on} waren bei höheren Werten von {cause} höher",
    "covariate_lower": "die Bewertungen von {who} bei {on} waren bei höheren Werten von {cause} niedriger",
    "covariate_inconclusive": "die Bewertungen von {who} bei {on} hingen nicht klar von {cause} ab",
    "covariate_unknown": "ob die Bewertungen von {who} bei {on} von {cause} abhängen, lässt sich noch nicht sagen",
    "covariate_difference_higher": "mit höheren Werten von {cause} stiegen die Bewertungen bei {on} für {who} "
    "stärker (oder sanken weniger) als für {reference}",
    "covariate_difference_lower": "mit höheren Werten von {cause} stiegen die Bewertungen bei {on} für {who} weniger "
    "(oder sanken stärker) als für {reference}",
    "covariate_difference_inconclusive": "mit höheren Werten von {cause} änderten sich die Bewertungen bei {on} für "
    "{who} nicht klar anders als für {reference}",
    "covariate_difference_unknown": "wie die Bewertungen von {who} bei {on} von {cause} abhängen, lässt sich noch "
    "nicht mit {reference} vergleichen",
    "detection_higher": "die Modelle wurden besser als durch Zufall von Menschen unterschieden",
    "detection_lower": "Modelle wurden häufiger für Menschen gehalten, als es durch Zufall zu erwarten wäre",
    "detection_inconclusive": "Modelle wurden nicht klar von Menschen unterschieden",
    "detection_unknown": "ob Modelle von Menschen unterschieden wurden, lässt sich noch nicht sagen",
    "belief_higher": "{who} {did} bei {on} höher bewertet, wenn ein Modell als Urheber vermutet wurde",
    "belief_lower": "{who} {did} bei {on} niedriger bewertet, wenn ein Modell als Urheber vermutet wurde",
    "belief_inconclusive": "die Bewertungen von {who} bei {on} hingen nicht klar davon ab, ob ein Modell als Urheber "
    "vermutet wurde",
    "belief_unknown": "ob die Bewertungen von {who} bei {on} davon abhängen, wer als Urheber vermutet wird, lässt "
    "sich noch nicht sagen",
    "change_higher": "{on} war nachher höher als vorher",
    "change_lower": "{on} war nachher niedriger als vorher",
    "change_inconclusive": "{on} änderte sich von vorher zu nachher nicht klar",
    "change_unknown": "ob sich {on} von vorher zu nachher geändert hat, lässt sich noch nicht sagen",
    "trade_off_higher": "bei {on} zählte {who} mehr als {reference}",
    "trade_off_lower": "bei {on} zählte {who} weniger als {reference}",
    "trade_off_inconclusive": "bei {on} zählte {who} nicht klar mehr oder weniger als {reference}",
    "trade_off_unknown": "bei {on} lässt sich noch nicht sagen, wie viel {who} neben {reference} zählt",
    "change_level_higher": "mit {who} war {on} nachher höher als vorher",
    "change_level_lower": "mit {who} war {on} nachher niedriger als vorher",
    "change_level_inconclusive": "mit {who} änderte sich {on} von vorher zu nachher nicht klar",
    "change_level_unknown": "ob sich {on} mit {who} von vorher zu nachher geändert hat, lässt sich noch nicht sagen",
    "change_difference_higher": "bei gleichem Ausgangswert war {on} nachher mit {who} höher als mit {reference}",
    "change_difference_lower": "bei gleichem Ausgangswert war {on} nachher mit {who} niedriger als mit {reference}",
    "change_difference_inconclusive": "bei gleichem Ausgangswert unterschied sich {on} nachher mit {who} nicht klar "
    "von dem mit {reference}",
    "change_difference_unknown": "die Änderung von {on} mit {who} lässt sich noch nicht mit der mit {reference} "
    "vergleichen",
    "texts_higher": "die Texte von {who} hatten höhere Werte bei {on} als die von {reference}",
    "texts_lower": "die Texte von {who} hatten niedrigere Werte bei {on} als die von {reference}",
    "texts_inconclusive": "die Texte von {who} unterschieden sich bei {on} nicht klar von denen von {reference}",
    "texts_unknown": "die Texte von {who} lassen sich bei {on} noch nicht mit denen von {reference} vergleichen",
    "structure_value": "die Zahl der Faktoren in den Fragen von {on} war nach der Parallelanalyse {value}",
    "accuracy_value": "bei {on} waren {value} der Antworten richtig",
    "f1_value": "bei {on} stimmten die Antworten mit dem Schlüssel überein mit einem makrogemittelten F1 von {value}",
    "empathic_value": "die Bewertungen von {on} korrelierten im Mittel mit den eigenen der Zielpersonen mit r = "
    "{value}",
    "span_f1_value": "die für {on} markierten Stellen stimmten mit dem Schlüssel überein mit F1 = {value}",
    "agreement_value": "die Übereinstimmung bei {on} betrug {cause} = {value}",
    "estimate_unknown": "{on} lässt sich noch nicht schätzen",
    "no_answers": "für diesen Vergleich gibt es bei {on} noch keine Antworten",
    "none_with_filter": "mit diesem Filter gibt es für diesen Vergleich bei {on} keine Antworten",
}
_REASONS: dict[Reason, tuple[str, str]] = {
    "no_pairable_units": ("no unit has two ratings", "keine Einheit hat zwei Bewertungen"),
    "no_variation": ("the values do not vary", "die Werte unterscheiden sich nicht"),
    "one_cluster": ("one side has only one item or one rater", "eine Seite hat nur ein Item oder eine Person"),
    "too_few": ("too few items or raters to tell", "zu wenige Items oder Personen"),
    "separation": ("no finite value exists", "es gibt keinen endlichen Wert"),
    "disconnected": ("the sources are never compared with each other", "die Quellen werden nie miteinander verglichen"),
    "not_converged": ("the model fit did not converge", "die Schätzung konvergierte nicht"),
    "singular": ("too little information for the model", "zu wenig Information für das Modell"),
    "not_run": ("not computed", "nicht berechnet"),
    "no_upper_limit": ("no upper limit", "keine obere Grenze"),
}


# a sentence names at most this many, and one more rather than "1 more"
MAX_NAMED = 6


@dataclass(frozen=True, slots=True)
class Words:
    """The words of one language. `neither` and `none_of` begin a list of sources of which none differed.

    `named` are the names of estimates that are no difference in points; `among` tells of which raters or responses.
    """

    said: dict[str, str]
    and_: str
    or_: str
    neither: tuple[str, str]
    none_of: str
    ci: str
    adjusted: str
    unadjusted: str
    more: str
    in_table: str
    no_ratings: str
    scale: str
    margin: str
    points: str
    of_choices: str
    of_rankings: str
    ties: str
    per_turn: str
    counted: dict[str, tuple[str, str]]
    verbs: dict[str, tuple[str, str]]
    worse: str
    quoted: str
    or_more: str
    named: dict[str, str]
    among_pool: str
    among: str
    of_source: str
    reasons: dict[Reason, str]
    nothing_to_compare: str
    kinds_of_raters: dict[str, str]
    over: str
    difference: str
    in_which: str
    is_german: bool = False

    def figure(self, text: str) -> str:
        """A formatted number as this language prints it: 1,296 ratings and 0.74 are 1.296 and 0,74 in German."""
        if not self.is_german:
            return text
        return in_german(text)

    def list_of(self, names: list[str], *, is_any: bool = False) -> str:
        """The names joined by and, or by or for any one of them; of many, the first and how many more."""
        if len(names) > MAX_NAMED + 1:
            names = [*names[:MAX_NAMED], self.more.format(len(names) - MAX_NAMED)]
        *first, last = names
        return f"{', '.join(first)} {self.or_ if is_any else self.and_} {last}" if first else last


ENGLISH = Words(
    said=_ENGLISH,
    and_="and",
    or_="or",
    neither=("neither", "nor"),
    none_of="none of",
    ci="95% CI",
    adjusted="adjusted",
    unadjusted="intervals not adjusted",
    more="{} more",
    in_table="{} more in the table",
    no_ratings="no ratings",
    scale="scale",
    margin="margin",
    points="percentage points",
    of_choices="of choices",
    of_rankings="of rankings",
    ties="ties count as half",
    per_turn="per turn",
    counted={
        "raters": ("rater", "raters"),
        "responders": ("responder", "responders"),
    },
    verbs={"did": ("was", "were")},
    worse="high values are undesirable",
    quoted="“{}”",
    or_more="{} or more",
    named={
        "odds_ratio_clmm": "odds ratio",
        "prob_superiority": "probability of superiority",
        "rank_biserial": "rank-biserial r =",
        "share_at_least_ratio": "ratio",
        "trade_off": "ratio",
        "pool_empathic_difference": "Fisher z",
        "dprime": "d′ =",
    },
    among_pool=" among raters of the pool {}",
    among=" by {}",
    of_source=" for {}",
    reasons={reason: words[0] for reason, words in _REASONS.items()},
    nothing_to_compare="there is nothing to compare",
    kinds_of_raters=KINDS,
    over="{} over {}",
    difference="the difference {} minus {} in {}",
    in_which=" on {}",
)
GERMAN = Words(
    said=_GERMAN,
    and_="und",
    or_="oder",
    neither=("weder", "noch"),
    none_of="keine der Quellen",
    ci="95-%-KI",
    adjusted="adjustiert",
    unadjusted="Intervalle nicht adjustiert",
    more="{} weitere",
    in_table="{} weitere in der Tabelle",
    no_ratings="keine Bewertungen",
    scale="Skala",
    margin="Grenze",
    points="Prozentpunkte",
    of_choices="der Wahlen",
    of_rankings="der Rangfolgen",
    ties="Unentschieden zählen halb",
    per_turn="pro Beitrag",
    counted={
        "raters": ("beurteilende Person", "beurteilende Personen"),
        "responders": ("antwortende Person", "antwortende Personen"),
    },
    verbs={
        "did": ("wurde", "wurden"),
        "be": ("ist", "sind"),
        "differs": ("unterschied", "unterschieden"),
        "can": ("lässt", "lassen"),
    },
    worse="hohe Werte sind unerwünscht",
    quoted="„{}“",
    or_more="{} oder mehr",
    named={
        "odds_ratio_clmm": "Odds Ratio",
        "prob_superiority": "Überlegenheitswahrscheinlichkeit",
        "rank_biserial": "rangbiseriales r =",
        "share_at_least_ratio": "Verhältnis",
        "trade_off": "Verhältnis",
        "pool_empathic_difference": "Fishers z",
        "dprime": "d′ =",
    },
    among_pool=" im Pool {}",
    among=" durch {}",
    of_source=" für {}",
    reasons={reason: words[1] for reason, words in _REASONS.items()},
    nothing_to_compare="es gibt nichts zu vergleichen",
    kinds_of_raters={"person": "Menschen", "model": "Modelle"},
    over="{} gegenüber {}",
    difference="die Differenz {} minus {} bei {}",
    in_which=" bei {}",
    is_german=True,
)
