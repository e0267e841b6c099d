"""Phrases that show the purpose of a sentence: a cause, a decision, an offer. Data, and looking it up.

Each list has phrases of one to four words, separated by `|`, in the languages people write to an assistant
in: English, German, French, Spanish, Portuguese, Italian, Dutch, Polish, Russian, Chinese, Japanese, Korean.
Phrases of scripts without spaces are searched for as substrings.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
_LONGEST = 4  # words
_WIDE = "\u2e80"  # scripts without spaces start here


class PreparedText(NamedTuple):
    """A text with its words in lower case, and every run of up to four of them."""

    text: str
    words: tuple[str, ...]
    runs: frozenset[str]


@lru_cache(maxsize=4096)  # one sentence is looked up in many lists
def prepare(text: str) -> PreparedText:
    """A text, prepared for lookup."""
    words = words_of(text)
    starts = range(len(words))
    runs = (" ".join(words[at : at + length]) for length in range(2, _LONGEST + 1) for at in starts)
    return PreparedText(text, words, frozenset((*words, *runs)))


def words_of(text: str) -> tuple[str, ...]:
    """The words of a text in lower case."""
    return tuple(_WORD.findall(text.replace("’", "'").lower()))


class Phrases(NamedTuple):
    """A list of phrases, prepared for lookup."""

    spaced: frozenset[str]
    unspaced: tuple[str, ...]

    def are_in(self, prepared: PreparedText) -> bool:
        """Whether one of the phrases is in the text."""
        return not self.spaced.isdisjoint(prepared.runs) or (
            not prepared.text.isascii() and any(phrase in prepared.text for phrase in self.unspaced)
        )

    def start(self, prepared: PreparedText) -> bool:
        """Whether the text starts with one of the phrases."""
        starts = (" ".join(prepared.words[:length]) for length in range(1, _LONGEST + 1))
        return any(start in self.spaced for start in starts) or prepared.text.startswith(self.unspaced)

    def make_up(self, words: tuple[str, ...]) -> bool:
        """Whether the words consist of phrases only."""
        at = 0
        while at < len(words):
            ends = range(min(at + _LONGEST, len(words)), at, -1)
            at = next((end for end in ends if " ".join(words[at:end]) in self.spaced), -1)
            if at < 0:
                return False
        return True


def phrases(*lists: str) -> Phrases:
    """Compile phrases from several lists, each separated by `|`."""
    every = [phrase for text in lists for phrase in text.split("|") if phrase]
    return Phrases(frozenset(every), tuple(phrase for phrase in every if phrase[0] >= _WIDE))


def content_words(text: str) -> frozenset[str]:
    """The words that are long enough to matter, without their endings."""
    return frozenset(word[:6] for word in words_of(text) if len(word) >= 4 or word[0] >= _WIDE)


CAUSE = phrases(
    "because|cause|caused|causes|culprit|due to|the reason|that's why|which is why|explains|turns out"
    "|turned out|found it|come from|comes from|came from|stem from|stems from|problem is that"
    "|the problem was|issue is that|the issue was|bug is|bug was|the bug|trap|gotcha|pitfall|leads to|led to"
    "|as a result|here's why|regression|real bug|root of|happens when|happened|fault",
    "weil|ursache|ursachen|grund|liegt daran|lag daran|liegt an|lag an|wegen|deshalb|daher|dadurch"
    "|fehler war|fehler ist|problem ist|problem war|führt dazu|schuld",
    "parce que|parce qu'il|parce qu'elle|vient de|provient|raison|puisque|du coup|à l'origine|le problème"
    "|c'est pourquoi|donc|provoque",
    "porque|causa|debido|motivo|razón|por eso|el problema|proviene|provoca|ya que|puesto que|resulta que"
    "|culpa",
    "devido|por isso|o problema|razão|já que|por que",
    "perché|dovuto|dovuta|il problema|colpa|ragione|quindi|siccome|poiché|deriva",
    "omdat|doordat|oorzaak|komt door|kwam door|vanwege|reden|het probleem|daardoor",
    "ponieważ|przyczyna|przyczyną|powód|powodem|dlatego|problem polega|wynika|z powodu",
    "потому|причина|причины|причиной|из-за|поэтому|так как|дело в|проблема в|вызвано",
    "因为|原因|由于|导致|因此|问题是|问题在|根源|ため|ので|せい|理由|によって|問題は|때문|원인|이유|그래서"
    "|문제는|탓",
)
RULED_OUT = phrases(
    "is not it|ruled out|rule out|rejected|reject|discarded|dropped|abandoned|not worth|isn't worth"
    "|doesn't help|didn't help|does not help|did not help|no difference|not enough|not fully|neither"
    "|considered|tried|instead of|rather than|no longer|reverted|undone|rolled back|gave up|couldn't get"
    "|left out|left that out|left it out|false alarm|red herring|not an issue|out of scope|not yet|cannot"
    "|can't|not the|not a|except|off the table|out of the picture",
    "ausgeschlossen|verworfen|statt|stattdessen|anstatt|abgelehnt|rückgängig|zurückgenommen|verboten|weder"
    "|scheidet aus|nicht die|vom tisch",
    "écarté|rejeté|plutôt que|au lieu|annulé|inutile|abandonné|pas la cause|pas de",
    "descartado|descarté|rechazado|en vez|en lugar|revertido|tampoco|no es la|no con",
    "descartei|rejeitado|em vez|não é",
    "scartato|rifiutato|invece|annullato|non è|non esiste",
    "verworpen|afgewezen|in plaats|teruggedraaid|uitgesloten|niet de|geen",
    "odrzucony|odrzucone|zamiast|wycofane|wykluczone|nie jest",
    "исключено|отклонено|вместо|отменено|не поможет|не помогло|не помогает|откатил|а не",
    "不是|排除|放弃|拒绝|撤销|不在|无效|没用|ではない|ではなく|ではありません|却下|除外|代わりに|아니|제외"
    "|대신|취소",
)
DECIDED = phrases(
    "decided|decision|decisions|chose|chosen|recommend|recommendation|recommendations|recommended|suggest"
    "|suggestion|propose"
    "|going with|go with|we keep|kept|verdict|agreed|i would take|i'd take|my pick|switch to|switching to"
    "|replaced|replace|wins|accepted|approved|different approach|the fix|proper fix|stays|order",
    "entschieden|entscheidung|empfehle|empfehlung|vorschlag|schlage vor|gewählt|wir nehmen|ersetzt"
    "|vereinbart|nehmen wir",
    "décidé|décision|choisi|choix|recommande|proposition|je garde|on garde|remplacé",
    "decidido|decisión|elegido|recomiendo|propongo|propuesta|me quedo|mantengo|reemplazado",
    "decisão|decidi|escolhido|recomendo|proponho|proposta|mantive|substituído",
    "deciso|decisione|scelto|scelta|consiglio|sostituito",
    "besloten|beslissing|gekozen|keuze|aanraden|stel voor|voorstel|vervangen|opgelost met",
    "zdecydowałem|decyzja|wybrany|wybór|polecam|proponuję|zastąpione",
    "решил|решили|решение|выбрал|выбрали|рекомендую|предлагаю|заменил",
    "决定|选择|建议|推荐|采用|改成|改为|换成|方案|決定|決め|選択|提案|推奨|採用|変更し|方針|결정|선택|제안"
    "|추천|채택|변경",
)
OPEN = phrases(
    "open|todo|to do|not done|not fixed|known issue|known problem|remaining|remains|left to do|is left"
    "|are left|what's left|left for|next step|next steps|yet|haven't|have not|follow-up|follow up|pending"
    "|blocked|waiting for|wait for|unresolved|unfinished|is missing|still|outstanding|up next|tomorrow"
    "|otherwise|assumes|next week|planned|parked|theory|for next time|i'd try|until|caveat|caveats"
    "|one thing|be aware|learned|broken|not solved|not applied|nothing was applied|not deployed"
    "|nothing was deployed|not merged|not run|did not run|didn't run|untested|not tested|not tried"
    "|undecided|unclear|unknown|to be confirmed|hasn't|has not",
    "offen|noch|fehlt|fehlen|ausstehend|nächster|nächste|nächsten|später|steht aus|achtung|ungetestet|unklar"
    "|ungeklärt|ungelöst|nicht gelöst|nicht ausgerollt|nicht getestet|sonst|setzt voraus",
    "reste|restent|à faire|pas encore|prochaine|prochain|manque|en attente|plus tard|demain|non résolu"
    "|pas testé|pas résolu|à vérifier|à confirmer|sinon|suppose que",
    "pendiente|pendientes|falta|faltan|quedan|todavía|aún|próximo|próximos|siguiente|sin resolver|sin probar"
    "|por confirmar|de lo contrario|supone que",
    "faltam|pendente|ainda|seguinte|amanhã|em aberto|sem solução|não testei|não rodei|a confirmar",
    "manca|mancano|restano|da fare|ancora|prossimo|prossimi|in sospeso|domani",
    "nog|te doen|ontbreekt|openstaand|volgende|wacht op",
    "jeszcze|do zrobienia|brakuje|pozostało|następny|następne|jutro",
    "осталось|ещё|еще|пока|следующий|следующее|позже|завтра|не хватает|ждёт|ждет",
    "还没|尚未|待办|剩下|下一步|未完成|还要|还需|注意|残り|課題|未対応|未解決|未確認|未定|まだ|今後|後で"
    "|来週|していません|待ち|等待|待确认|아직|남은|나중|추후|대기",
)
NEEDED = phrases(
    "must|needs|need|requires|require|required|has to|have to|depends on|relies on|don't forget|forgotten"
    "|keeps|remains|only works|careful|beware|keep in mind|note that|the catch|watch out",
    "vorsicht|beachten|aufpassen|muss|müssen|braucht|brauchen|benötigt|erfordert|bleibt|bleiben|vergessen|nötig",
    "attention|doit|doivent|il faut|faut|nécessite|exige|oublier|reste",
    "ojo|cuidado|debe|deben|hay que|necesita|hace falta|requiere|olvidar|sigue",
    "atenção|precisa|precisam|deve|devem|tem que|exige|esquecer|fica|continua",
    "attenzione|devono|bisogna|serve|servono|richiede|resta",
    "let op|moet|moeten|nodig|vereist|blijft|vergeten",
    "musi|muszą|trzeba|wymaga|potrzebuje|zostaje",
    "нужно|нужен|нужна|надо|должен|должна|должны|требует|остаётся|остается",
    "注意|必须|需要|必要|しなければ|してください|そのまま|필요|해야",
)
RESULT = phrases(
    "fixed|fixes|fix|solved|resolved|works|passes|pass|passed|green|added|changed|now|down|reduced|faster"
    "|slower|measured|result|results|flat|committed|deployed|released|merged|created|built|in place|updated"
    "|failed|fails|fail|failing|crashes|crash|deadlocks|hangs|breaks|timed out|error|errors|wrong|throws"
    "|returns|takes|went|smaller|larger|gives|uses|use|is gone|are gone|removed|moved|set|sets|covers|means"
    "|so|therefore|found|turned",
    "behoben|gelöst|funktioniert|läuft|laufen|grün|erledigt|hinzugefügt|geändert|jetzt|schneller|langsamer"
    "|gemessen|ergebnis|fehlgeschlagen|angelegt|wieder",
    "corrigé|résolu|fonctionne|passent|passe|fait|ajouté|modifié|maintenant|mesuré|résultat|échoue|échoué"
    "|créé|utilise",
    "corregido|resuelto|arreglado|funciona|pasan|pasa|hecho|añadido|cambiado|ahora|medido|resultado|falla"
    "|fallan|baja|va",
    "corrigido|resolvido|passam|feito|adicionado|alterado|agora|falha|usa",
    "corretto|risolto|funziona|passano|fatto|aggiunto|cambiato|ora|adesso|misurato|risultato|fallisce"
    "|riuscito|punta",
    "opgelost|werkt|slagen|klaar|gedaan|toegevoegd|gewijzigd|nu|sneller|gemeten|resultaat|mislukt|draaien",
    "naprawione|rozwiązane|działa|przechodzą|gotowe|zrobione|dodane|zmienione|teraz|szybciej|wynik",
    "исправлено|исправил|решено|работает|проходят|готово|сделано|добавил|добавлено|изменил|теперь|быстрее"
    "|результат|падает|снова",
    "修复|解决|通过|完成|添加|已经|现在|结果|失败|修正|成功|追加|結果|失敗|直り|動作|確認済|수정|해결|통과"
    "|완료|추가|결과|실패|성공",
)

# Admitting a mistake, and retracting what was said before.
_ADMITTED = (
    "i was wrong|i was mistaken|my mistake|i misread|i misdiagnosed|my first guess was|my earlier guess was"
    "|my earlier claim was|take that back|i take it back|i stand corrected",
    "ich lag falsch|lag ich falsch|habe mich geirrt|nehme ich zurück|je me suis trompé|je me suis trompée"
    "|j'avais tort|me equivoqué|estaba equivocado|me enganei|eu estava errado|mi sbagliavo"
    "|mi sono sbagliato|ik had het mis|ik vergiste me|myliłem się|pomyliłem się|я ошибся|я был неправ"
    "|ошибался",
    "間違っていました|誤りでした|撤回します|我错了|我之前说错|判断错|틀렸습니다",
)
ADMITTED = phrases(*_ADMITTED)
RETRACTED = phrases(
    *_ADMITTED,
    "wrong about|that was wrong|was a wrong turn|wrong lead|wrong track"
    "|red herring|was not the cause|wasn't the cause|nothing to do with|it was not|it wasn't|was not it"
    "|wasn't it|is not it|isn't it|aren't it|that's not it|isn't what|is not what|wasn't what"
    "|it's not that|it isn't that|theory is out"
    "|isn't the cause|is not the cause|isn't the culprit|isn't the problem|isn't the reason"
    "|not the bottleneck|isn't the bottleneck|not the culprit|off the table|is innocent|scratch the"
    "|scratch that|not involved|isn't involved|was a dead end|not the problem"
    "|not the reason|theory is dead|theory is wrong|theory was wrong|disproved|guess was wrong",
    "liegt nicht an|ist nicht die ursache|ist es nicht"
    "|war falsch|war ein irrtum|falsche fährte|doch nicht|war es nicht|lag nicht an|vom tisch|nicht schuld"
    "|nicht beteiligt|unschuldig|sackgasse",
    "ce n'est pas ça|n'est pas la cause|fausse piste|n'était pas la cause"
    "|ce n'était pas|hors de cause|mauvaise piste",
    "no es la causa|no es eso|no era|pista falsa|nada que ver",
    "não é a causa|não era|nada a ver",
    "non è la causa|non era|non c'entra|pista sbagliata|falsa pista",
    "is niet de oorzaak|dat is het niet|was niet de oorzaak|was het niet|dwaalspoor|heeft er niets mee",
    "nie było przyczyną|fałszywy trop|to nie było to",
    "была не причина|дело не в|ни при чём|ни при чем|ложный след|не виноват",
    "原因ではありませんでした|不是原因|无关|的问题不在|無関係|関係ありません|원인이 아니었|관계가 없|무관",
)

# Agreeing with an objection, at the start of a text.
CONCEDED = phrases(
    "you're right|you are right|you're absolutely right|you are absolutely right|du hast recht"
    "|sie haben recht|tu as raison|vous avez raison|tienes razón|tiene razón|tem razão|hai ragione"
    "|ha ragione|je hebt gelijk|masz rację|ты прав|вы правы",
    "你说得对|您说得对|你是对的|おっしゃる通り|その通り|맞습니다",
)

# Announcing the finding, at the start of a text; words for a cause are in CAUSE.
FOUND = phrases(
    "there it is|there's the|here it is|this is it|that is it|that's it|now it is clear|now it's clear"
    "|i have it|i've got it|found the|confirmed|reproduced|aha",
    "gefunden|da ist es|jetzt ist es klar|bestätigt|hab's|ich hab's|trouvé|c'est ça|confirmé",
    "encontrado|lo encontré|encontré|confirmado|achei|encontrei|trovato|trovata|l'ho trovato|ecco|confermato",
    "gevonden|bevestigd|daar is het|znalazłem|mam to|potwierdzone|нашёл|нашел|нашла|вот оно|подтвердилось",
    "找到了|确认|見つけました|見つかりました|찾았습니다",
)
# Referring to the sentence before.
PRONOUN = phrases(
    "it|its|they|them|their|this|that|these|those|he|she|both|neither|so|therefore|which|in other words",
    "es|er|sie|ihr|ihre|sein|seine|das|dies|dieser|diese|dieses|beide|damit|dadurch|daher|deshalb"
    "|mit anderen worten",
    "il|elle|ils|elles|son|sa|ses|leur|cela|ça|c'est|c'est-à-dire|ce|ceci|celui-ci|celle-ci|autrement dit",
    "esto|eso|este|esta|ese|esa|ello|su|sus|ambos|es decir|o sea",
    "isso|isto|ele|ela|eles|elas|seu|sua|ou seja",
    "questo|questa|ciò|esso|essa|entrambi|lo|cioè",
    "het|dit|dat|deze|die|ze|hij|daardoor",
    "to|ten|ta|on|ona|ono|oba",
    "это|он|она|оно|они|этот|эта|оба|поэтому|то есть",
    "它|这|那|他们|也就是说|これ|それ|この|その|つまり|이것|그것|이는|그래서|즉",
)

# Proposing what to do, before the user has said anything about it.
PROPOSED = phrases(
    "i'd|i would|my plan|i propose|i suggest",
    "ich würde|mein plan|ich schlage vor|mein vorschlag",
    "je ferais|je mettrais|je propose|mon plan",
    "haría|propongo|mi plan",
    "faria|proponho|meu plano",
    "farei|il mio piano",
    "ik zou|ik stel voor",
    "zrobiłbym|proponuję",
    "я бы|предлагаю",
    "我建议|我会|と思います|提案します|제안합니다",
)

OFFER = phrases(
    "let me know|if you'd like|if you would like|if you want me|if you like|if you prefer|if you need"
    "|feel free|happy to|glad to|i can also|would you like|do you want|want me to|shall i|should i|just say"
    "|just tell|just ask|tell me|hope this|hope that|any questions|good luck|have a nice|have a good"
    "|have a great|if you see anything|if you run into|if anything looks|ping me|i'll be here"
    "|paste the output|walk you through|whenever you're ready|ready when you|sounds good|happy coding"
    "|some ideas|a few ideas|ideas for|i could also|we could also|could also add|possible improvements"
    "|optional improvements|nice to have|if it helps|which of these",
    "sag bescheid|sag gern|sag einfach|sag mir|sagen sie|lass mich wissen|lassen sie mich|wenn du möchtest"
    "|wenn du magst|wenn du willst|falls du|wenn sie|soll ich|möchtest du|möchten sie|willst du|melde dich"
    "|gerne auch|viel erfolg|womit kann|ein paar ideen|weitere ideen|ich könnte auch",
    "n'hésite pas|n'hésitez pas|si tu veux|si vous voulez|si vous souhaitez|dis-moi|dites-moi|voulez-vous"
    "|veux-tu|souhaitez-vous|faites-moi|je peux aussi|bonne journée|bonne continuation|quelques idées"
    "|je pourrais aussi",
    "si quieres|si lo deseas|si prefieres|avísame|dime|quieres que|házmelo saber|puedo también|no dudes"
    "|si necesitas|algunas ideas|también podría",
    "se quiser|se preferir|me avise|avise-me|quer que|posso também|me diga|fique à vontade|bom trabalho"
    "|algumas ideias|também poderia",
    "fammi sapere|se vuoi|se preferisci|vuoi che|dimmi|posso anche|buon lavoro|alcune idee|potrei anche",
    "laat me weten|laat het me|laat maar weten|als je wilt|wil je dat|zal ik|zeg het maar|een paar ideeën"
    "|ik kan ook|ik zou ook",
    "daj znać|jeśli chcesz|czy chcesz|mogę też|czy mam|kilka pomysłów",
    "дай знать|дайте знать|если нужно|хотите|хочешь|могу также|напиши если|обращайтесь|обращайся"
    "|несколько идей|могу ещё|могу еще",
    "随时告诉我|如果还有|如果需要|如果你|如果您|请告诉我|需要我|还有其他|请随时|お知らせください|何かあれば"
    "|ご希望|しましょうか|いかがでしょうか|ご不明|알려 주세요|알려주세요|말씀해 주세요|말씀해주세요|원하시면"
    "|할까요|도와드릴|몇 가지 아이디어|一些想法|いくつかのアイデア|いくつか案",
)
NARRATION = phrases(
    "let me|let's|i'll|i will|i'm going to|now let|now i'll|now i will|now to|now for|now i need|first i'll"
    "|first let|first i|looking at|checking|reading|running|trying|starting|searching|i want to|i need to"
    "|time to|going to|i should|i've gone|i looked at|i've now|before the details|here is|here's|here are"
    "|i've reviewed|i have reviewed|thanks for|next i'll|next let|next up",
    "ich schaue|ich sehe mir|ich prüfe|ich werde|ich beginne|ich lese|ich suche|lass mich|schauen wir"
    "|als nächstes|ich baue|ich ändere|ich ergänze|ich füge|ich passe|ich setze|ich probiere|ich versuche"
    "|ich teste|ich schreibe|jetzt baue ich|jetzt prüfe ich",
    "je regarde|je vais|je vérifie|je commence|voyons|laisse-moi|laissez-moi|j'ajoute|je modifie|je change"
    "|j'essaie|je teste|je remplace",
    "voy a|déjame|veamos|miro|reviso|empiezo|añado|pruebo|modifico",
    "vou|deixa-me|deixe-me|vamos ver|adiciono",
    "guardo|vediamo|controllo|lascia|comincio|aggiungo|provo",
    "ik kijk|ik ga|ik zal|laat me|even kijken|ik controleer|ik voeg|ik probeer|ik test",
    "sprawdzę|zobaczmy|zobaczę|zaczynam",
    "проверю|посмотрю|сейчас|давай|давайте|смотрю|начну",
    "我先|我来|让我|我去|接下来|首先|まず|はい|それでは|次に|먼저|이제",
)
GUESS = phrases(
    "suspect|suspicious|suspicion|hunch|guess|first thought|first idea"
    "|maybe|perhaps|probably|might be|may be|could be|likely|looks like|seems"
    "|candidates|assume|assumption|smells like|my bet|i'd bet|theory|hypothesis|probable|i think it",
    "vermutlich|vielleicht|könnte|verdacht|wahrscheinlich|scheint|sieht nach|sieht so aus|ich tippe"
    "|tippe auf|vermute|theorie|hypothese|vermutung",
    "peut-être|sans doute|probablement|pourrait|semble|on dirait|je soupçonne|ça ressemble|hypothèse"
    "|je pense que",
    "quizás|tal vez|probablemente|podría|parece|creo que|sospecho|apunta a|hipótesis",
    "talvez|provavelmente|poderia|acho que|suspeito|deve ser|hipótese|desconfio",
    "forse|probabilmente|potrebbe|sembra|sospetto|ipotesi|credo che",
    "misschien|waarschijnlijk|vermoedelijk|lijkt|vermoed",
    "może|prawdopodobnie|chyba|wydaje|podejrzewam|hipoteza",
    "возможно|наверное|вероятно|похоже|может быть|подозреваю|предполагаю|гипотеза",
    "可能|也许|大概|猜|怀疑|かもしれ|おそらく|たぶん|疑って|아마|같습니다|의심",
)

CORRECTION = phrases(
    "no|nope|stop|wait|actually|wrong|that's wrong|that is wrong|not that|not what|don't|do not|oh wait|hm"
    "|hmm|careful|hold on|but|please don't|you forgot|you just|undo|revert|why did you|that's not|never mind"
    "|rather|instead",
    "nein|nee|stopp|halt|moment|falsch|nicht|bitte nicht|doch|aber|warte|achtung|das stimmt nicht|lieber",
    "non|attends|attendez|attention|faux|pas|mais|plutôt|c'est faux|ne",
    "espera|alto|pero|mal|cuidado|mejor|sí pero|eso no",
    "não|pare|mas|errado|melhor",
    "aspetta|fermo|ma|sbagliato|attenzione|meglio|ricordati",
    "wacht|maar|fout|niet|liever|let op",
    "nie|czekaj|ale|źle|raczej",
    "нет|стоп|подожди|но|неправильно|не|лучше|погоди",
    "不|别|等等|但是|停|错|いや|違|待って|でも|やめて|아니|잠깐|틀렸|하지만|그만",
)
PREFERENCE = phrases(
    "always|never|must|should be|has to|have to|we assert|prefer|in this repo|in this project|from now on"
    "|for the record|forbidden|don't|only|ever|nobody|everybody|everyone|keep|remember|rule|convention"
    "|instead of|use|leave|want|wants|without|accepted risk|needs to|requirement|requirements|no|not|until"
    "|after|first|park|but|i'll|we'll|i will|we will|tomorrow|next week|later",
    "immer|nie|niemals|muss|müssen|darf|bei uns|ab jetzt|künftig|bitte|verboten|statt|lieber|nur|ohne|kein"
    "|keine|nicht",
    "toujours|jamais|doit|chez nous|désormais|interdit|pas de|utilise|utilisez|plutôt|sans|seulement|il faut",
    "siempre|nunca|debe|aquí|a partir de|prohibido|usa|usad|sin|solo|como en|hay que",
    "sempre|deve|aqui|proibido|sem|apenas|só|não",
    "mai|da noi|vietato|senza|non|passa",
    "altijd|nooit|moet|bij ons|voortaan|verboden|gebruik|geen|zonder|alleen|maar",
    "zawsze|nigdy|musi|u nas|odtąd|zabronione|używaj|bez|tylko",
    "всегда|никогда|должен|у нас|впредь|запрещено|используй|без|только|не",
    "必须|总是|永远|不要|以后|别|只|必ず|常に|絶対|今後|しないで|だけ|禁止|使って",
    "항상|절대|반드시|앞으로|하지 마|금지|만|사용",
)
